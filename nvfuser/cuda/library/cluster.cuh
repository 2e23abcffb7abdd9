// Reductions over the blocks of a cluster, which are those along y of a grid.

// Half of a barrier of all threads of a cluster: what each has written, and read, is behind it.
__device__ inline void arrive_at_cluster() {
  asm volatile("barrier.cluster.arrive.aligned;" : : : "memory");
}

// The other half: all have arrived.
__device__ inline void await_cluster() {
  asm volatile("barrier.cluster.wait.aligned;" : : : "memory");
}

// What another block of the cluster has at an address of shared memory.
template <typename T>
__device__ inline T& in_block(T& own, unsigned block) {
  unsigned long long address;
  asm volatile("mapa.u64 %0, %1, %2;" : "=l"(address) : "l"(&own), "r"(block));
  return *(T*)address;
}

// The threads of a block that differ only along the chosen directions: which of these groups a thread
// is in, and its number there.
template <typename Threads, bool X, bool Y, bool Z>
struct CombinedThreads {
  __device__ static int groups() {
    return (X ? 1 : Threads::x()) * (Y ? 1 : Threads::y()) * (Z ? 1 : Threads::z());
  }
  __device__ static int group() {
    return (X ? 0 : Threads::at_x()) +
           (X ? 1 : Threads::x()) *
               ((Y ? 0 : Threads::at_y()) + (Y ? 1 : Threads::y()) * (Z ? 0 : Threads::at_z()));
  }
  __device__ static int size() {
    return (X ? Threads::x() : 1) * (Y ? Threads::y() : 1) * (Z ? Threads::z() : 1);
  }
  __device__ static int rank() {
    return (X ? Threads::at_x() : 0) +
           (X ? Threads::x() : 1) *
               ((Y ? Threads::at_y() : 0) + (Y ? Threads::y() : 1) * (Z ? Threads::at_z() : 0));
  }
};

// Combines what the same threads of all blocks of the cluster have, which is what block_reduce() gave
// them: each gets the result, the same one in all blocks. Each block tells all others its values, so
// that nobody reads the memory of a block that may have ended. All threads have arrived at the cluster
// once before the first of these calls, and wait for it behind the last.
template <typename Threads, bool X, bool Y, bool Z, int Blocks, typename... Parts>
__device__ inline void cluster_reduce(unsigned char* slots, Parts... parts) {
  using Own = CombinedThreads<Threads, X, Y, Z>;
  // The others have begun, and have read what they were told last time.
  await_cluster();
  const int first = Own::group() * Blocks;
  unsigned char* next = slots;
  for (int block = Own::rank(); block < Blocks; block += Own::size()) {
    next = slots;
    ((in_block(parts.slot(next, first + (int)blockIdx.y), block) = parts.value,
      next += Parts::bytes * Own::groups() * Blocks),
     ...);
  }
  arrive_at_cluster();
  await_cluster();
  next = slots;
  ((parts.value = combine_values<Blocks, 1, false>(&parts.slot(next, first), parts.operation),
    next += Parts::bytes * Own::groups() * Blocks),
   ...);
  arrive_at_cluster();
}
