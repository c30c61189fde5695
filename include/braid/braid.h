// Braid: an SSA compiler toolkit. This header has everything.
#pragma once

#include <braid/builder.h>
#include <braid/bytecode.h>
#include <braid/construct.h>
#include <braid/diagnostic.h>
#include <braid/expected.h>
#include <braid/interpret.h>
#include <braid/intrinsic.h>
#include <braid/lattice.h>
#include <braid/module.h>
#include <braid/passes.h>
#include <braid/sea.h>
#include <braid/text.h>
#include <braid/type.h>
#include <braid/value.h>
#include <braid/warnings.h>
