// What each family's file gives to the table in families.cpp.
#pragma once

#include "model/block_builder.h"

namespace puna::model {

ValueId llama_block(Block& b, ValueId x);
ValueId qwen2_block(Block& b, ValueId x);
ValueId qwen3_block(Block& b, ValueId x);
ValueId gemma2_block(Block& b, ValueId x);
ValueId gemma3_block(Block& b, ValueId x);
float gemma_embedding_factor(const HyperParams& h);

}  // namespace puna::model
