// Boost.JSON's compiled part, where no archive of it is installed for the target.
#include <boost/json/src.hpp>
