// Any register bytecode, as far as blocks and liveness need to know it: the public header has it.
#pragma once

#include <braid/bytecode.h>
