// Object files as compilers write them, loaded into this process.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>

namespace nvfuser::cpu {

// The code and data of one relocatable ELF object of this machine, ready to run. Unmapped with the
// object. Its undefined symbols are those of the C library, the C math library and whatever else
// the process makes public.
class ObjectCode {
 public:
  // Raises when `image` is no such object, or when symbols that it needs are nowhere.
  explicit ObjectCode(std::string_view image);
  ~ObjectCode();
  ObjectCode(const ObjectCode&) = delete;
  ObjectCode& operator=(const ObjectCode&) = delete;

  // Address of each function that the object exports.
  const std::map<std::string, void*>& functions() const { return functions_; }

 private:
  void* memory_ = nullptr;
  size_t size_ = 0;
  std::map<std::string, void*> functions_;
};

}  // namespace nvfuser::cpu
