// Scans over the threads of a block.

// What a thread's piece combines to, which is replaced by what precedes the piece; what precedes
// the pieces of all threads; and how two values are combined.
template <typename T, typename Operation>
struct ScanPart {
  T& value;
  T& carry;
  Operation operation;
  using Value = T;
  static constexpr int bytes = sizeof(T);
  __device__ T& slot(unsigned char* scratch, int i) { return ((T*)scratch)[i]; }
};

template <typename T, typename Operation>
__device__ inline ScanPart<T, Operation> scan_part(T& value, T& carry, Operation operation) {
  return {value, carry, operation};
}

// The carry goes through `count` values that are `step` apart: returns what it is in front of value
// number `own`.
template <int Count, typename Part>
__device__ inline typename Part::Value pass_carry(Part part, const typename Part::Value* values,
                                                  int step, int count, int own) {
  typename Part::Value carry = part.carry;
  typename Part::Value before = carry;
  if constexpr (Count > 0) {
#pragma unroll
    for (int i = 0; i < Count; ++i) {
      before = i == own ? carry : before;
      carry = part.operation(carry, values[i * step]);
    }
  } else {
    for (int i = 0; i < count; ++i) {
      before = i == own ? carry : before;
      carry = part.operation(carry, values[i * step]);
    }
  }
  part.carry = carry;
  return before;
}

// The pieces follow each other along the lanes of warps, `Step` lanes apart: groups of `Size` lanes
// or, beyond 32, of whole warps.
template <int Size, int Step>
struct LaneScan {
  static constexpr bool is_two_steps = false;
  static constexpr int width = Size < 32 ? Size : 32;
  static constexpr int warps = Size / width;
  int rank;
  template <typename T>
  __device__ T from_lane_before(T value, int distance) const {
    return shuffle(value, [&](unsigned word) {
      return __shfl_up_sync(all_lanes(), word, distance, width);
    });
  }
  template <typename Part>
  __device__ void run_before(Part part, unsigned char* scratch) const {
#pragma unroll
    for (int distance = Step; distance < width; distance *= 2) {
      const auto other = from_lane_before(part.value, distance);
      if (rank % width >= distance) {
        part.value = part.operation(other, part.value);
      }
    }
    if (warps > 1 && rank % 32 >= 32 - Step) {
      part.slot(scratch, rank / 32 * Step + rank % Step) = part.value;
    }
  }
  template <typename Part>
  __device__ void run_after(Part part, unsigned char* scratch) const {
    auto before = part.carry;
    if constexpr (warps > 1) {
      const auto* values = &part.slot(scratch, rank / Size * warps * Step + rank % Step);
      before = pass_carry<warps>(part, values, Step, warps, rank % Size / 32);
    } else {
      part.carry = part.operation(part.carry, shuffle(part.value, [&](unsigned word) {
                                    const int last = width - Step + rank % Step;
                                    return __shfl_sync(all_lanes(), word, last, width);
                                  }));
    }
    const auto own = from_lane_before(part.value, Step);
    part.value = rank % width < Step ? before : part.operation(before, own);
  }
};

// The pieces follow each other along threads anywhere: each reads those of all.
template <typename Threads, int Axis>
struct SpacedScan {
  static constexpr bool is_two_steps = false;
  static constexpr int constant_size = Axis == 0   ? Threads::constant_x
                                       : Axis == 1 ? Threads::constant_y
                                                   : Threads::constant_z;
  template <typename Part>
  __device__ void run_before(Part part, unsigned char* scratch) const {
    part.slot(scratch, Threads::rank()) = part.value;
  }
  template <typename Part>
  __device__ void run_after(Part part, unsigned char* scratch) const {
    const int step = (Axis > 0 ? Threads::x() : 1) * (Axis > 1 ? Threads::y() : 1);
    const int size = Axis == 0 ? Threads::x() : Axis == 1 ? Threads::y() : Threads::z();
    const int own = Axis == 0 ? Threads::at_x() : Axis == 1 ? Threads::at_y() : Threads::at_z();
    const auto* values = &part.slot(scratch, Threads::rank() - own * step);
    part.value = pass_carry<constant_size <= 32 ? constant_size : 0>(part, values, step, size, own);
  }
};

// Replaces the value of each part by what precedes it: the carry and the values of the threads
// before along the axis (x, y or z). Parts follow each other, those of one carry one after the
// other. All threads of the block take part.
template <typename Threads, int Axis, bool Repeated, typename... Parts>
__device__ inline void block_scan(unsigned char* scratch, Parts... parts) {
  constexpr int step = Axis == 0 ? 1 : Threads::constant_x * (Axis == 1 ? 1 : Threads::constant_y);
  constexpr int along = Axis == 0   ? Threads::constant_x
                        : Axis == 1 ? Threads::constant_y
                                    : Threads::constant_z;
  constexpr int count = Threads::constant_x * Threads::constant_y * Threads::constant_z;
  constexpr int size = step * along;
  if constexpr (count > 0 && (size & (size - 1)) == 0 && step < 32) {
    const LaneScan<size, step> scan{Threads::rank()};
    if constexpr (size <= 32) {
      (scan.run_before(parts, scratch), ...);
      (scan.run_after(parts, scratch), ...);
    } else {
      through_memory<Threads, Repeated>(scratch, scan, parts...);
    }
  } else {
    through_memory<Threads, Repeated>(scratch, SpacedScan<Threads, Axis>{}, parts...);
  }
}
