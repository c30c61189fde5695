// The managed world of a running pandasm program: its classes and their initialisation, its objects, static fields,
// strings and
// type objects, its exceptions and the library. Everything that an instruction does to it is one method here; the direct
// interpreter and the SSA engine call the same ones.
//
// Values are canonical bits (ir/bits.h): an i32 is extended by its sign, an f32 stands under zeros, a reference is
// the heap's. A
// method that may throw answers an Outcome: a value, or that an exception is pending. No method runs bytecode: where a class
// initialiser must run first, the caller is told so and runs it.
//
// Any method that makes an object may collect. Who holds references meanwhile offers them as roots (heap/heap.h);
// arguments of a
// method are safe while it works.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_map>
#include <vector>

#include "front/pandasm/class_table.h"
#include "front/pandasm/link.h"
#include "heap/heap.h"

namespace braid::pandasm {

using heap::Reference;

/// A value, or nothing and an exception is pending.
struct Outcome {
  uint64_t value = 0;
  bool threw = false;
};

struct VmOptions {
  heap::HeapOptions heap;
  std::function<void(std::string_view)> output;  ///< gets what the program prints; may be empty
};

/// Exceptions that the runtime makes itself.
enum class Thrown : uint8_t {
  null_pointer, array_index_out_of_bounds, negative_array_size, array_store, arithmetic, class_cast, illegal_monitor_state,
  stack_overflow, abstract_method, no_class_def_found, no_such_method, exception_in_initializer, instantiation, out_of_memory,
  illegal_state, class_not_found
};

/// What stands between a program and the use of a record.
struct Initialiser {
  enum class Need : uint8_t {
    nothing,  ///< go on
    run,      ///< run the function, which has no parameters, then call Vm::end_initialiser, then ask again
    threw,    ///< an exception is pending
  };
  Need need = Need::nothing;
  uint32_t record = unlinked, function = unlinked;
};

class Vm final : private heap::RootSource {
 public:
  Vm(const Program& program, const Links& links, VmOptions options = {});
  ~Vm() override;
  Vm(const Vm&) = delete;
  Vm& operator=(const Vm&) = delete;

  /// As if nothing had been run. Only while nothing runs.
  void restart();

  const Program& program() const { return program_; }
  const Links& links() const { return links_; }
  heap::Heap& heap() { return heap_; }
  ClassTable& classes() { return classes_; }
  void print(std::string_view text) {
    if (options_.output) options_.output(text);
  }

  // ---- exceptions ----
  /// The exception that was thrown and that nobody has taken yet, or null.
  Reference pending() const { return pending_; }
  Reference take_pending();
  /// What `throw` does: of null, a NullPointerException.
  Outcome throw_object(Reference exception);
  Outcome throw_new(Thrown what, std::string_view message);
  Outcome throw_null() { return throw_new(Thrown::null_pointer, {}); }
  Outcome throw_zero() { return throw_new(Thrown::arithmetic, "/ by zero"); }
  Outcome throw_bounds(int32_t index, uint32_t length);
  Outcome throw_negative_size(int32_t size);
  Outcome throw_bad_cast(Reference object, ClassId wanted);
  /// `panda.ArithmeticException: / by zero`.
  std::string describe(Reference exception) const;
  /// Any object in a few words: `null`, `"text"`, `i32[]`.
  std::string shown(Reference object) const;
  /// Whether a handler for this class takes it.
  bool is_instance(Reference object, ClassId wanted) const;
  Reference message(Reference exception) const;

  // ---- initialisation ----
  /// Also of what the record extends, which comes first. A record whose initialiser is running counts as initialised.
  Initialiser begin_initialiser(uint32_t record);
  /// The initialiser that was to be run has ended; if an exception is pending, by it: it is made an
  /// ExceptionInInitializerError
  /// then, unless it is an error already, and the record cannot be used any more.
  void end_initialiser(uint32_t record);
  bool is_initialised(uint32_t record) const { return states_[record] == State::ready || states_[record] == State::running; }

  // ---- objects; their records are initialised ----
  Outcome new_object(ClassId id);
  Outcome load_field(Reference object, FieldId field);
  Outcome store_field(Reference object, FieldId field, uint64_t value);
  uint64_t load_static(FieldId field) const { return statics_[classes_[field].slot]; }
  void store_static(FieldId field, uint64_t value);
  Outcome check_cast(Reference object, ClassId wanted, bool allows_null);

  // ---- arrays ----
  Outcome new_array(ClassId id, int32_t size);
  /// An array of arrays …, as deep as there are sizes.
  Outcome new_arrays(ClassId id, std::span<const uint64_t> sizes);
  Outcome array_length(Reference array);
  /// `as` says how an element is extended: i8, u8, i16, u16, i32, i64, f32, f64, or record for any reference.
  Outcome load_element(Reference array, uint64_t index, Primitive as);
  Outcome store_element(Reference array, uint64_t index, uint64_t value, Primitive as);
  /// The same, for storage that is known: int8_t, uint8_t, …; an f32 is a uint32_t. Not for references.
  template <typename Stored>
  Outcome load_element_as(Reference array, uint64_t index) {
    const heap::Heap::Elements elements = heap_.elements(array, element_kind<Stored>);
    if (static_cast<uint32_t>(index) >= elements.length) return element_fault(array, index);
    return {extended(static_cast<const Stored*>(elements.data)[static_cast<uint32_t>(index)]), false};
  }
  template <typename Stored>
  Outcome store_element_as(Reference array, uint64_t index, uint64_t value) {
    const heap::Heap::Elements elements = heap_.elements(array, element_kind<Stored>);
    if (static_cast<uint32_t>(index) >= elements.length) return element_fault(array, index);
    static_cast<Stored*>(elements.data)[static_cast<uint32_t>(index)] = static_cast<Stored>(value);
    return {};
  }
  Outcome load_reference(Reference array, uint64_t index) {
    const heap::Heap::Elements elements = heap_.elements(array, heap::Element::reference);
    if (static_cast<uint32_t>(index) >= elements.length) return element_fault(array, index);
    return {static_cast<const Reference*>(elements.data)[static_cast<uint32_t>(index)], false};
  }
  /// What does not fit into the array is an ArrayStoreException.
  Outcome store_reference(Reference array, uint64_t index, Reference value);

  // ---- constants ----
  Outcome string_constant(Symbol text);       ///< always the same object
  Outcome type_object(const Type& type);      ///< always the same object
  Outcome constant_array(uint32_t array);     ///< a new one each time
  Outcome new_string(std::string_view text);
  Outcome new_strings(std::span<const std::string> texts);  ///< a panda.String[]

  // ---- functions ----
  FunctionForm form(uint32_t function) const { return forms_[function]; }
  /// Which function a virtual call means: its number. The receiver may be null.
  Outcome find_virtual(Reference receiver, uint32_t function);
  /// What a call of a function that is not bytecode gives: the library's answer, or the exception that there is none.
  Outcome call_library(uint32_t function, std::span<const uint64_t> arguments);

  // ---- monitors; there is one thread ----
  Outcome monitor_enter(Reference object);
  Outcome monitor_exit(Reference object);

  /// A backward jump or a call: the collector may run.
  void safepoint() { heap_.safepoint(); }

 private:
  enum class State : uint8_t { unused, running, ready, failed };

  template <typename Stored>
  static constexpr heap::Element element_kind = sizeof(Stored) == 1   ? heap::Element::bits8
                                                : sizeof(Stored) == 2 ? heap::Element::bits16
                                                : sizeof(Stored) == 4 ? heap::Element::bits32
                                                                      : heap::Element::bits64;
  template <typename Stored>
  static uint64_t extended(Stored value) {
    if constexpr (std::is_signed_v<Stored>) return static_cast<uint64_t>(int64_t{value});
    else return value;
  }

  void visit_roots(heap::RootVisitor& visitor) override;
  /// Why an element cannot be reached: no array, or none of its elements.
  Outcome element_fault(Reference array, uint64_t index);
  Outcome out_of_memory();
  Outcome made(Reference object) { return object == heap::null ? out_of_memory() : Outcome{object, false}; }
  void find_forms();
  void find_what_cannot_be_made();
  void set_static_values();

  const Program& program_;
  const Links& links_;
  VmOptions options_;
  heap::Heap heap_;
  ClassTable classes_;
  ClassId string_class_, type_class_;
  std::vector<ClassId> thrown_classes_;            ///< by Thrown
  Reference pending_ = heap::null;
  Reference out_of_memory_ = heap::null;           ///< made before there is too little room for it
  std::vector<Reference> held_;                    ///< what methods work with
  std::vector<State> states_;                      ///< by record
  std::vector<bool> cannot_be_made_;               ///< by record: it is elsewhere, or only the runtime makes its objects
  std::vector<uint64_t> statics_;
  std::vector<uint32_t> static_references_;        ///< slots that hold references
  std::vector<Reference> strings_;                 ///< by symbol, null if not made yet
  std::unordered_map<uint32_t, Reference> type_objects_;  ///< by class
  std::unordered_map<Reference, uint32_t> monitors_;      ///< how often each is held
  std::vector<FunctionForm> forms_;                ///< by function
  std::vector<uint32_t> library_;                  ///< by function, its number in the library
};

}  // namespace braid::pandasm
