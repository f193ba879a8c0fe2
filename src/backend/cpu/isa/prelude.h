// What the kernels may use from outside their namespace: plain types, and nothing inline that would be emitted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "backend/cpu/kernel_table.h"
#include "backend/cpu/scratch.h"
#include "tensor/blocks.h"
#include "tensor/half.h"
