"""schedule.warp_specialize on the emulated CUDA device."""

import pytest

# Collected here again, with the device of this folder.
from test_schedule_warp_specialize import *  # noqa: F403

pytestmark = pytest.mark.no_round_trip
