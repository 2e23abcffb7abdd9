// The options a call or the environment may enable and disable.
#pragma once

#include <string>
#include <vector>

namespace nvfuser {

// Raises on a name that is no option.
void checkEnableOptions(const std::vector<std::string>& names);
void checkDisableOptions(const std::vector<std::string>& names);

}  // namespace nvfuser
