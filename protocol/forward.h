// The protocol's parts by name, for headers that only refer to them.
#pragma once

#include <cstdint>

namespace leeway {

class ByteReader;
class Cache;
class Collective;
class Directory;
class Outbox;
class Termination;
struct CacheEffects;
struct SlotRun;
enum class CollectiveKind : std::uint8_t;
enum class Flush;

}  // namespace leeway
