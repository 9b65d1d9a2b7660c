// family_rows.h: the functions behind the rows of the table of families, and what they share.
#pragma once

#include "model/config.h"
#include "model/family.h"

namespace murmur {

FeedForwardActivation activation_of(const TransformerConfig& c, const char* key,
                                    const char* otherwise);

// What most families say by the same keys.
Description common_description(const TransformerConfig& c);

// Encoders: every token sees all others.
Family bert(const TransformerConfig& c);
Family roberta(const TransformerConfig& c);
Family distilbert(const TransformerConfig& c);
Family albert(const TransformerConfig& c);
Family modernbert(const TransformerConfig& c);
Family vit(const TransformerConfig& c);
Family kwt(const TransformerConfig& c);

// Causal families.
Family gpt2(const TransformerConfig& c);
Family gpt_neox(const TransformerConfig& c);
Family opt(const TransformerConfig& c);
Family llama(const TransformerConfig& c);
Family mistral(const TransformerConfig& c);
Family qwen2(const TransformerConfig& c);
Family qwen3(const TransformerConfig& c);
Family gemma2(const TransformerConfig& c);
Family phi3(const TransformerConfig& c);

}  // namespace murmur
