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

// Words that a thread copies, from one on in steps. Some are under way at once: who waits for each
// before it reads the next one waits for memory several times.
template <typename T>
struct CopiedWords {
  static constexpr int at_once = 4;
  const T* in;
  long long next;
  long long step;
  long long count;
  T words[at_once];
  __device__ void load() {
#pragma unroll
    for (int k = 0; k < at_once; ++k) {
      if (next + k * step < count) {
        words[k] = in[next + k * step];
      }
    }
  }
  // After load().
  __device__ void store(T* out) {
    while (next < count) {
#pragma unroll
      for (int k = 0; k < at_once; ++k) {
        if (next + k * step < count) {
          out[next + k * step] = words[k];
        }
      }
      next += at_once * step;
      load();
    }
  }
};

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
  const int thread = All::rank();
  const int block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  const int blocks = (int)mine.blocks;
  // What is copied is under way before it is known which buffer it goes to.
  const long long first = block * (long long)All::count() + thread;
  const long long step = blocks * (long long)All::count();
  const bool is_wide =
      ((reinterpret_cast<unsigned long long>(mine.part) | mine.bytes) & 15) == 0;
  const long long wide = block < blocks && is_wide ? mine.bytes / 16 : 0;
  const long long narrow = block < blocks && !is_wide ? mine.bytes : 0;
  CopiedWords<uint4> words{reinterpret_cast<const uint4*>(mine.part), first, step, wide};
  CopiedWords<unsigned char> bytes{mine.part, first, step, narrow};
  words.load();
  bytes.load();
  const unsigned number = header->count + 1;
  const unsigned kind = (unsigned)mine.bytes * 256u + (unsigned)mine.blocks;
  const long long buffer = buffer_of_exchange(mine, number);
  unsigned char* const out = mine.own + buffer;
  words.store(reinterpret_cast<uint4*>(out));
  bytes.store(out);
  __syncthreads();
  if (block < blocks && thread < Members) {
    // By threads side by side: they wait once for what was written.
    for (int peer = thread; peer < Members; peer += All::count()) {
      unsigned char* memory = peers[0];
#pragma unroll
      for (int i = 1; i < Members; ++i) {
        memory = i == peer ? peers[i] : memory;
      }
      publish(&reinterpret_cast<ExchangeHeader*>(memory)->copied[mine.number][block],
              (unsigned long long)kind << 32 | number);
    }
  }
  // All of this block know the number. While others wait, one thread counts the block.
  if (thread == All::count() - 1 &&
      atomicAdd(&header->arrived, 1u) == gridDim.x * gridDim.y * gridDim.z - 1) {
    atomicExch(&header->arrived, 0u);
    header->count = number;
  }
  for (int i = thread; i < Members * blocks; i += All::count()) {
    await_copy(&header->copied[i / blocks][i % blocks], number, kind, mine.time_limit);
  }
  __syncthreads();
  return buffer;
}
