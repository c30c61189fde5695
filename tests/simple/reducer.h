// Makes a Simple program that shows a fault smaller: drops and simplifies pieces of its text as long as the
// fault stays.
//
// Pieces are statements, blocks, arms, parentheses, operands, words; whoever asks decides whether what is
// left still shows the fault, so the reducer need not know what is valid. O(rounds x pieces) questions.
#pragma once

#include <functional>
#include <string>

namespace braid::simple_testing {

/// The smallest program found for which `fails` is true; it is true for `program`.
std::string reduce_program(std::string program, const std::function<bool(const std::string&)>& fails,
                           size_t most_questions = 20'000);

}  // namespace braid::simple_testing
