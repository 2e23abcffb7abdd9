#include "device/cpu/object_code.h"

#include <dlfcn.h>
#include <elf.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "core/error.h"
#include "device/cpu/relocation.h"

namespace nvfuser::cpu {

namespace {

#if defined(__x86_64__)
constexpr uint16_t kThisMachine = EM_X86_64;
#elif defined(__aarch64__)
constexpr uint16_t kThisMachine = EM_AARCH64;
#else
constexpr uint16_t kThisMachine = EM_NONE;
#endif

// What a part of memory may be used for, in the order of the parts.
enum Access { kExecute, kRead, kWrite, kAccesses };

// Where symbols of other libraries are reached from, and their addresses are read from.
struct Import {
  uint64_t trampoline;
  uint64_t address;
};

uint64_t roundUp(uint64_t value, uint64_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

template <typename T>
T read(std::string_view bytes, uint64_t offset) {
  NVF_CHECK(offset <= bytes.size() && sizeof(T) <= bytes.size() - offset,
            "Machine code cannot be loaded: the object ends early");
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

// The C math library is not necessarily one of those whose symbols are public.
void* addressIn(const std::string& symbol) {
  if (void* address = dlsym(RTLD_DEFAULT, symbol.c_str()); address != nullptr) {
    return address;
  }
  static void* const math = dlopen("libm.so.6", RTLD_LAZY | RTLD_LOCAL);
  return math == nullptr ? nullptr : dlsym(math, symbol.c_str());
}

// Reads an object and lays out memory for it.
class Loader {
 public:
  explicit Loader(std::string_view image) : image_(image) {
    const auto header = read<Elf64_Ehdr>(image, 0);
    NVF_CHECK(std::memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 &&
                  header.e_ident[EI_CLASS] == ELFCLASS64 && header.e_type == ET_REL,
              "Machine code cannot be loaded: it is not a 64-bit relocatable ELF object");
    NVF_CHECK(header.e_machine == kThisMachine,
              "Machine code cannot be loaded: it is for ELF machine ", header.e_machine,
              ", this is ", kThisMachine);
    for (uint64_t i = 0; i < header.e_shnum; ++i) {
      sections_.push_back(read<Elf64_Shdr>(image, header.e_shoff + i * sizeof(Elf64_Shdr)));
    }
    names_ = contents(section(header.e_shstrndx));
    for (const Elf64_Shdr& section : sections_) {
      if (section.sh_type == SHT_SYMTAB) {
        readSymbols(section);
      }
    }
    importSymbols();
    layOut();
  }

  uint64_t size() const { return starts_[kAccesses]; }

  // Fills memory of that size, which is still writable, and makes it what it is to be.
  void load(unsigned char* memory) const {
    for (size_t i = 0; i < sections_.size(); ++i) {
      if (isLoaded(sections_[i]) && sections_[i].sh_type != SHT_NOBITS) {
        const std::string_view bytes = contents(sections_[i]);
        std::memcpy(memory + offsets_[i], bytes.data(), bytes.size());
      }
    }
    for (size_t i = 0; i < symbols_.size(); ++i) {
      if (imports_[i] >= 0) {
        const Import entry{trampoline(kThisMachine), valueOf(i, memory)};
        std::memcpy(memory + importOffset(i), &entry, sizeof entry);
      }
    }
    for (const Elf64_Shdr& section : sections_) {
      if (section.sh_type == SHT_RELA && isLoaded(this->section(section.sh_info))) {
        relocateSection(section, memory);
      }
    }
    constexpr std::array<int, kAccesses> kProtections = {PROT_READ | PROT_EXEC, PROT_READ,
                                                         PROT_READ | PROT_WRITE};
    for (int access = 0; access < kAccesses; ++access) {
      const uint64_t size = starts_[access + 1] - starts_[access];
      NVF_CHECK(size == 0 || mprotect(memory + starts_[access], size, kProtections[access]) == 0,
                "Machine code cannot be loaded: its memory cannot be made executable: ",
                std::strerror(errno));
    }
    __builtin___clear_cache(reinterpret_cast<char*>(memory),
                            reinterpret_cast<char*>(memory + starts_[kRead]));
  }

  std::map<std::string, void*> functions(unsigned char* memory) const {
    std::map<std::string, void*> found;
    for (size_t i = 0; i < symbols_.size(); ++i) {
      const Elf64_Sym& symbol = symbols_[i];
      if (ELF64_ST_BIND(symbol.st_info) == STB_GLOBAL &&
          ELF64_ST_TYPE(symbol.st_info) == STT_FUNC && symbol.st_shndx != SHN_UNDEF) {
        found.emplace(nameAt(symbolNames_, symbol.st_name),
                      reinterpret_cast<void*>(valueOf(i, memory)));
      }
    }
    return found;
  }

 private:
  const Elf64_Shdr& section(uint64_t index) const {
    NVF_CHECK(index < sections_.size(), "Machine code cannot be loaded: it has no section ", index);
    return sections_[index];
  }

  std::string_view contents(const Elf64_Shdr& section) const {
    NVF_CHECK(
        section.sh_offset <= image_.size() && section.sh_size <= image_.size() - section.sh_offset,
        "Machine code cannot be loaded: the object ends early");
    return image_.substr(section.sh_offset, section.sh_size);
  }

  static std::string nameAt(std::string_view table, uint64_t offset) {
    NVF_CHECK(offset < table.size(), "Machine code cannot be loaded: a name is missing");
    table.remove_prefix(offset);
    return std::string(table.substr(0, table.find('\0')));
  }

  // Nothing unwinds the stack through kernels: tables for that are left out.
  bool isLoaded(const Elf64_Shdr& section) const {
    return (section.sh_flags & SHF_ALLOC) != 0 && nameAt(names_, section.sh_name) != ".eh_frame";
  }

  static Access accessOf(const Elf64_Shdr& section) {
    if ((section.sh_flags & SHF_EXECINSTR) != 0) {
      return kExecute;
    }
    return (section.sh_flags & SHF_WRITE) != 0 ? kWrite : kRead;
  }

  void readSymbols(const Elf64_Shdr& table) {
    const std::string_view bytes = contents(table);
    for (uint64_t at = 0; at < bytes.size(); at += sizeof(Elf64_Sym)) {
      symbols_.push_back(read<Elf64_Sym>(bytes, at));
    }
    symbolNames_ = contents(section(table.sh_link));
  }

  // Finds the symbols that are not the object's own, and those whose address it reads from memory.
  void importSymbols() {
    addresses_.resize(symbols_.size());
    imports_.assign(symbols_.size(), -1);
    std::string unresolved;
    for (size_t i = 1; i < symbols_.size(); ++i) {
      const Elf64_Sym& symbol = symbols_[i];
      if (symbol.st_shndx == SHN_UNDEF) {
        const std::string name = nameAt(symbolNames_, symbol.st_name);
        addresses_[i] = reinterpret_cast<uint64_t>(addressIn(name));
        imports_[i] = importCount_++;
        if (addresses_[i] == 0 && ELF64_ST_BIND(symbol.st_info) != STB_WEAK) {
          unresolved += (unresolved.empty() ? "" : ", ") + name;
        }
      } else {
        const int type = ELF64_ST_TYPE(symbol.st_info);
        NVF_CHECK(type != STT_TLS && type != STT_GNU_IFUNC && symbol.st_shndx != SHN_COMMON,
                  "Machine code cannot be loaded: its symbol ",
                  nameAt(symbolNames_, symbol.st_name), " is of a kind that kernels do not have");
      }
    }
    NVF_CHECK(unresolved.empty(), "unresolved symbols: ", unresolved);
    for (const Elf64_Shdr& section : sections_) {
      if (section.sh_type == SHT_RELA && isLoaded(this->section(section.sh_info))) {
        for (const Elf64_Rela& relocation : relocationsOf(section)) {
          int& import = imports_.at(ELF64_R_SYM(relocation.r_info));
          if (import < 0 &&
              referenceOf(kThisMachine, ELF64_R_TYPE(relocation.r_info)) == Reference::Slot) {
            import = importCount_++;
          }
        }
      }
    }
  }

  // Sections of a kind lie together, from a page of their own on; the imports are behind the code,
  // which has to reach them.
  void layOut() {
    const auto page = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
    offsets_.resize(sections_.size());
    uint64_t end = 0;
    for (int access = 0; access < kAccesses; ++access) {
      starts_[access] = end;
      for (size_t i = 0; i < sections_.size(); ++i) {
        const Elf64_Shdr& section = sections_[i];
        if (isLoaded(section) && accessOf(section) == access) {
          const uint64_t alignment = std::max<uint64_t>(section.sh_addralign, 1);
          NVF_CHECK(alignment <= page && section.sh_size < uint64_t{1} << 31,
                    "Machine code cannot be loaded: a section of ", section.sh_size,
                    " bytes aligned to ", alignment);
          end = roundUp(end, alignment);
          offsets_[i] = end;
          end += section.sh_size;
        }
      }
      if (access == kExecute) {
        importsStart_ = roundUp(end, sizeof(Import));
        end = importsStart_ + importCount_ * sizeof(Import);
      }
      end = roundUp(end, page);
    }
    starts_[kAccesses] = end;
  }

  uint64_t importOffset(size_t symbol) const {
    return importsStart_ + imports_[symbol] * sizeof(Import);
  }

  // Where a symbol really is.
  uint64_t valueOf(size_t index, const unsigned char* memory) const {
    const Elf64_Sym& symbol = symbols_[index];
    if (symbol.st_shndx == SHN_UNDEF) {
      return addresses_[index];
    }
    if (symbol.st_shndx == SHN_ABS) {
      return symbol.st_value;
    }
    NVF_CHECK(isLoaded(section(symbol.st_shndx)),
              "Machine code cannot be loaded: it refers to a section that is not part of it");
    return reinterpret_cast<uint64_t>(memory) + offsets_[symbol.st_shndx] + symbol.st_value;
  }

  std::vector<Elf64_Rela> relocationsOf(const Elf64_Shdr& section) const {
    const std::string_view bytes = contents(section);
    std::vector<Elf64_Rela> relocations;
    for (uint64_t at = 0; at < bytes.size(); at += sizeof(Elf64_Rela)) {
      relocations.push_back(read<Elf64_Rela>(bytes, at));
    }
    return relocations;
  }

  void relocateSection(const Elf64_Shdr& section, unsigned char* memory) const {
    const Elf64_Shdr& target = this->section(section.sh_info);
    for (const Elf64_Rela& relocation : relocationsOf(section)) {
      const uint32_t type = ELF64_R_TYPE(relocation.r_info);
      const uint64_t symbol = ELF64_R_SYM(relocation.r_info);
      NVF_CHECK(relocation.r_offset < target.sh_size,
                "Machine code cannot be loaded: a relocation lies outside of its section");
      // Code reaches other libraries through a trampoline; data may hold their addresses, too.
      const bool throughImport = referenceOf(kThisMachine, type) == Reference::Slot ||
                                 symbols_.at(symbol).st_shndx == SHN_UNDEF;
      uint64_t address = 0;
      if (!throughImport) {
        address = valueOf(symbol, memory);
      } else {
        address = reinterpret_cast<uint64_t>(memory) + importOffset(symbol);
        if (referenceOf(kThisMachine, type) == Reference::Slot) {
          address += offsetof(Import, address);
        }
      }
      relocate(kThisMachine, type, memory + offsets_[section.sh_info] + relocation.r_offset,
               address + relocation.r_addend);
    }
  }

  std::string_view image_;
  std::vector<Elf64_Shdr> sections_;
  std::string_view names_;
  std::vector<Elf64_Sym> symbols_;
  std::string_view symbolNames_;
  // Of each symbol: its address if it is another library's, and its number among the imports or -1.
  std::vector<uint64_t> addresses_;
  std::vector<int> imports_;
  int importCount_ = 0;
  // Where each section, each kind of sections, and the imports begin.
  std::vector<uint64_t> offsets_;
  std::array<uint64_t, kAccesses + 1> starts_{};
  uint64_t importsStart_ = 0;
};

}  // namespace

ObjectCode::ObjectCode(std::string_view image) {
  const Loader loader(image);
  size_ = std::max<size_t>(loader.size(), 1);
  memory_ = mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  NVF_CHECK(memory_ != MAP_FAILED, "Machine code cannot be loaded: no memory for its ", size_,
            " bytes: ", std::strerror(errno));
  try {
    loader.load(static_cast<unsigned char*>(memory_));
    functions_ = loader.functions(static_cast<unsigned char*>(memory_));
  } catch (...) {
    munmap(memory_, size_);
    throw;
  }
}

ObjectCode::~ObjectCode() { munmap(memory_, size_); }

}  // namespace nvfuser::cpu
