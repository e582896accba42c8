// Counter-based random bits (J. Salmon et al., "Parallel random numbers: as easy as 1, 2, 3",
// 2011).
#ifndef QUERN_FRONTEND_RANDOM_H_
#define QUERN_FRONTEND_RANDOM_H_

#include <array>
#include <cstdint>

namespace quern::frontend {

// Threefry-2x32 with 20 rounds.
std::array<uint32_t, 2> Threefry(std::array<uint32_t, 2> counter, std::array<uint32_t, 2> key);

// Philox-4x32 with 10 rounds.
std::array<uint32_t, 4> Philox(std::array<uint32_t, 4> counter, std::array<uint32_t, 2> key);

}  // namespace quern::frontend

#endif  // QUERN_FRONTEND_RANDOM_H_
