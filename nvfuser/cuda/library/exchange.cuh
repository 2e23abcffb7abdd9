// Reading what other devices have from their memory, which src/multidevice/exchange.h describes.

// What a kernel knows of its device: the part of a sum that it has, the memory that peers have
// mapped, its number among them, and how many blocks copy the part there.
struct ExchangedPart {
  const unsigned char* part;
  long long bytes;
  unsigned char* own;
  long long capacity;
  long long number;
  long long blocks;
  long long time_limit;
};

// The header of such memory: how many exchanges there were, blocks that have begun the next one,
// and for each device and block the last exchange for which that has copied its part.
struct ExchangeHeader {
  static constexpr int bytes = 64 * 1024;
  static constexpr int most_blocks = 256;
  volatile unsigned count;
  unsigned arrived;
  unsigned long long unused[15];
  unsigned long long copied[16][most_blocks];
};

// Of two buffers the one of an exchange: while peers may still read the other one.
__device__ inline long long buffer_of_exchange(const ExchangedPart& mine, unsigned number) {
  return ExchangeHeader::bytes + (number & 1) * mine.capacity;
}

// The buffer of the last exchange.
__device__ inline long long exchanged_buffer(const ExchangedPart& mine) {
  return buffer_of_exchange(mine, reinterpret_cast<ExchangeHeader*>(mine.own)->count);
}

// Copies a block's share of the device's part.
__device__ inline void copy_part(unsigned char* out, const unsigned char* in, long long bytes,
                                 long long first, long long step) {
  if (((reinterpret_cast<unsigned long long>(in) | bytes) & 15) == 0) {
    for (long long i = first; i < bytes / 16; i += step) {
      reinterpret_cast<uint4*>(out)[i] = reinterpret_cast<const uint4*>(in)[i];
    }
    return;
  }
  for (long long i = first; i < bytes; i += step) {
    out[i] = in[i];
  }
}

// What all threads of the block have written before a barrier is there for whoever reads the value.
__device__ inline void publish(unsigned long long* address, unsigned long long value) {
  asm volatile("st.release.sys.global.u64 [%0], %1;" : : "l"(address), "l"(value) : "memory");
}

// The other side: what was written before the value is there for all threads behind a barrier.
__device__ inline unsigned long long observe(const unsigned long long* address) {
  unsigned long long value;
  asm volatile("ld.acquire.sys.global.u64 %0, [%1];" : "=l"(value) : "l"(address) : "memory");
  return value;
}

// Nanoseconds since some time.
__device__ inline unsigned long long nanoseconds() {
  unsigned long long now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  return now;
}

// Waits until a block of a peer has copied for the exchange of that number, whose kind it says, too.
// A peer that does not come, or runs another kernel, is an error of the device: there is no result.
__device__ inline void await_copy(const unsigned long long* copied, unsigned number, unsigned kind,
                                  long long time_limit) {
  unsigned long long began = 0;
  for (unsigned long long tries = 1;; ++tries) {
    const unsigned long long value = observe(copied);
    if ((int)((unsigned)value - number) >= 0) {
      if ((unsigned)value == number && (unsigned)(value >> 32) != kind) {
        __trap();
      }
      return;
    }
    if ((tries & 255) == 0) {
      const unsigned long long now = nanoseconds();
      began = began == 0 ? now : began;
      if (now - began > (unsigned long long)time_limit) {
        __trap();
      }
    }
  }
}

// Copies the device's part to its memory and waits until all peers have done so. Returns where the
// parts begin in the memory of each. All threads of all blocks of a kernel call it once.
template <int Members>
__device__ inline long long exchange(const ExchangedPart& mine,
                                     unsigned char* const (&peers)[Members]) {
  using All = Threads<0, 0, 0>;
  ExchangeHeader* const header = reinterpret_cast<ExchangeHeader*>(mine.own);
  const unsigned number = header->count + 1;
  const unsigned kind = (unsigned)mine.bytes * 256u + (unsigned)mine.blocks;
  const long long buffer = buffer_of_exchange(mine, number);
  const int thread = All::rank();
  const int block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  const int blocks = (int)mine.blocks;
  if (block < blocks) {
    copy_part(mine.own + buffer, mine.part, mine.bytes,
              block * (long long)All::count() + thread, blocks * (long long)All::count());
  }
  __syncthreads();
#pragma unroll
  for (int peer = 0; peer < Members; ++peer) {
    if (block < blocks && thread == peer % All::count()) {
      publish(&reinterpret_cast<ExchangeHeader*>(peers[peer])->copied[mine.number][block],
              (unsigned long long)kind << 32 | number);
    }
  }
  for (int i = thread; i < Members * blocks; i += All::count()) {
    await_copy(&header->copied[i / blocks][i % blocks], number, kind, mine.time_limit);
  }
  if (thread == 0 &&
      atomicAdd(&header->arrived, 1u) == gridDim.x * gridDim.y * gridDim.z - 1) {
    atomicExch(&header->arrived, 0u);
    header->count = number;
  }
  __syncthreads();
  return buffer;
}
