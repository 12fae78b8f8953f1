"""Names that C programs agree on, and what the front end must know of them to lower a body.

Data only: what acquires and releases is in specs.
"""

from __future__ import annotations

NULLS = frozenset(("NULL", "nullptr", "Null", "null"))

SAME_AS_ARGUMENT = frozenset((
    "__builtin_expect", "__builtin_constant_p_or_value", "__builtin_expect_with_probability", "__builtin_launder",
    "__predict_true", "__predict_false", "PREDICT_TRUE", "PREDICT_FALSE", "expect_true", "expect_false",
))
"""Calls whose result is their first argument: they only say how likely it is."""


def is_same_as_argument(name: str) -> bool:
    """Whether a call by this name only says how likely its argument is (`G_LIKELY`, `__glibc_unlikely`)."""
    return name in SAME_AS_ARGUMENT or name[-6:].lower() == "likely"


def is_assertion(name: str) -> bool:
    """Whether a call by this name ends the program unless its argument holds (`assert`, `g_assert`, `serverAssert`), or finds fault with the
    program that has called (`g_return_if_fail`)."""
    return (name.lower().endswith(("assert", "assert_true")) and "static" not in name.lower()) or name.endswith(("return_if_fail", "warn_if_fail"))


def is_told_assertion(name: str) -> bool:
    """Whether a call by this name ends the test, or the program, with a text unless its first argument holds (`ck_assert_msg`), or finds
    fault with the program that has called, and says what to return to it (`g_return_val_if_fail`)."""
    is_told = name.lower().endswith(("assert_msg", "assert_message", "assert_true_msg")) and "static" not in name.lower()
    return is_told or name.endswith("return_val_if_fail")


ON_THE_STACK = frozenset(("alloca", "__builtin_alloca"))
"""What the compiler itself does, whatever macro stands in for it where it does not."""

ATTRIBUTES_TO_SKIP = frozenset((
    "aligned", "packed", "section", "visibility", "format", "unused", "used", "hot", "cold", "always_inline",
    "noinline", "gnu_inline", "optimize", "target", "may_alias", "no_instrument_function", "tls_model",
    "no_sanitize", "no_sanitize_address", "format_arg", "transparent_union", "mode", "vector_size",
))
"""Attributes that say nothing about what a function does."""

CLEANUP_BY_TYPE = {"g_autoptr": " *", "g_auto": "", "g_autolist": " *", "g_autoslist": " *", "g_autoqueue": " *"}
"""Macros that make a type of their argument and clean the variable up: what follows the argument."""

CLEANUP_WORDS = {
    "g_autofree": ("g_free", "value"),
    "_cleanup_free_": ("free", "value"),
    "_cleanup_close_": ("close", "value"),
    "_cleanup_fclose_": ("fclose", "value"),
    "_cleanup_pclose_": ("pclose", "value"),
    "_cleanup_closedir_": ("closedir", "value"),
    "_cleanup_strv_free_": ("strv_free", "value"),
    "glnx_autofd": ("close", "value"),
    "auto_free": ("free", "value"),
    "autofree": ("free", "value"),
}
"""Attribute macros of well-known libraries: the function that cleans up, given the value or the address."""

CLEANUP_TYPES = {
    "GError": "g_error_free", "GBytes": "g_bytes_unref", "GHashTable": "g_hash_table_unref", "GList": "g_list_free",
    "GSList": "g_slist_free", "GPtrArray": "g_ptr_array_unref", "GArray": "g_array_unref",
    "GByteArray": "g_byte_array_unref", "GKeyFile": "g_key_file_unref", "GDir": "g_dir_close",
    "GVariant": "g_variant_unref", "GVariantBuilder": "g_variant_builder_unref", "GVariantIter": "g_variant_iter_free",
    "GRegex": "g_regex_unref", "GMatchInfo": "g_match_info_unref", "GDateTime": "g_date_time_unref",
    "GTimer": "g_timer_destroy", "GMainLoop": "g_main_loop_unref", "GMainContext": "g_main_context_unref",
    "GSource": "g_source_unref", "GMappedFile": "g_mapped_file_unref", "GChecksum": "g_checksum_free",
    "GThread": "g_thread_unref", "GTree": "g_tree_unref", "GQueue": "g_queue_free", "GStrv": "g_strfreev",
    "GUri": "g_uri_unref", "GIOChannel": "g_io_channel_unref", "GOptionContext": "g_option_context_free",
    "GObject": "g_object_unref", "GFile": "g_object_unref", "GInputStream": "g_object_unref",
    "GOutputStream": "g_object_unref", "GFileInfo": "g_object_unref", "GFileEnumerator": "g_object_unref",
    "GCancellable": "g_object_unref", "GTask": "g_object_unref", "GSettings": "g_object_unref",
    "GDBusConnection": "g_object_unref", "GDBusProxy": "g_object_unref", "GSubprocess": "g_object_unref",
}
"""What `g_autoptr(T)` and `g_auto(T)` call at the end of the scope, given the value."""

FOREACH_ASSIGNS = {
    "TAILQ_FOREACH": (0,), "TAILQ_FOREACH_REVERSE": (0,), "TAILQ_FOREACH_SAFE": (0, 3),
    "TAILQ_FOREACH_FROM": (0,), "TAILQ_FOREACH_REVERSE_SAFE": (0, 4),
    "LIST_FOREACH": (0,), "LIST_FOREACH_SAFE": (0, 3), "SLIST_FOREACH": (0,), "SLIST_FOREACH_SAFE": (0, 3),
    "SLIST_FOREACH_PREVPTR": (0, 1), "STAILQ_FOREACH": (0,), "STAILQ_FOREACH_SAFE": (0, 3),
    "SIMPLEQ_FOREACH": (0,), "SIMPLEQ_FOREACH_SAFE": (0, 3), "CIRCLEQ_FOREACH": (0,),
    "RB_FOREACH": (0,), "RB_FOREACH_SAFE": (0, 3), "RB_FOREACH_REVERSE": (0,), "SPLAY_FOREACH": (0,),
    "list_for_each": (0,), "list_for_each_safe": (0, 1), "list_for_each_prev": (0,),
    "list_for_each_entry": (0,), "list_for_each_entry_safe": (0, 1), "list_for_each_entry_reverse": (0,),
    "hlist_for_each": (0,), "hlist_for_each_safe": (0, 1), "hlist_for_each_entry": (0,),
    "hlist_for_each_entry_safe": (0, 1), "HASH_ITER": (2, 3), "LL_FOREACH": (1,), "LL_FOREACH_SAFE": (1, 2),
    "DL_FOREACH": (1,), "DL_FOREACH_SAFE": (1, 2), "foreach": (0,), "forboth": (0, 2), "for_each_cell": (0,),
    "QUEUE_FOREACH": (0,), "QTAILQ_FOREACH": (0,), "QTAILQ_FOREACH_SAFE": (0, 3), "QLIST_FOREACH": (0,),
    "QLIST_FOREACH_SAFE": (0, 3), "QSIMPLEQ_FOREACH": (0,), "QSIMPLEQ_FOREACH_SAFE": (0, 3), "dlist_foreach": (0,),
    "wl_list_for_each": (0,), "wl_list_for_each_safe": (0, 1), "list_for_every_entry": (1,),
    "json_array_foreach": (1, 2), "json_array_foreach_safe": (1, 2, 3), "json_object_foreach": (1, 2), "json_object_foreach_safe": (2, 3),
}
"""Which arguments the loops of well-known list libraries assign."""

NEVER_COMPILED = frozenset((
    "__cplusplus", "_WIN32", "WIN32", "_MSC_VER", "__WIN32__", "_WIN64", "__MINGW32__", "__APPLE__", "__VMS", "VMS",
    "OPENSSL_SYS_WINDOWS", "OPENSSL_SYS_VMS", "MS_WINDOWS", "WIN64", "_AIX", "__OS2__", "OS2", "NETWARE",
    "lint", "__lint", "__lint__", "LINT", "S_SPLINT_S", "__LCLINT__",
))
"""Conditions of platforms that are not the one in mind, and of lint: the other branch is taken."""

PROVERS = ("FRAMAC", "FRAMA_C", "CPROVER", "CBMC")
"""What names of conditions hold under which only a prover reads the code: with bounds that it needs, or without what it cannot read."""

TOLD_TO_ANALYSERS = frozenset(("__clang_analyzer__", "__COVERITY__"))
"""Conditions of analysers that look for what is looked for here: what the code tells them it tells us."""

FEATURES = ("HAVE_", "USE_", "WITH_", "ENABLE_")
"""How words begin that a build defines for what the platform in mind has."""

TAGS = frozenset(("struct", "union", "enum"))

TYPE_KEYWORDS = frozenset((
    "void", "char", "short", "int", "long", "float", "double", "signed", "unsigned", "_Bool", "bool", "_Complex",
    "__int128", "__signed__", "__signed", "_Float16", "_Float32", "_Float64", "_Float128", "__builtin_va_list",
    "__auto_type",
))

QUALIFIERS = frozenset((
    "const", "volatile", "restrict", "__restrict", "__restrict__", "__const", "__const__", "__volatile__", "__volatile",
    "static", "extern", "register", "auto", "inline", "__inline", "__inline__", "typedef", "_Noreturn", "noreturn",
    "_Thread_local", "thread_local", "__thread", "__extension__", "constexpr", "_Atomic", "__forceinline",
))

STATEMENT_KEYWORDS = frozenset((
    "if", "else", "for", "while", "do", "switch", "case", "default", "return", "goto", "break", "continue",
))

KEYWORDS = TAGS | TYPE_KEYWORDS | QUALIFIERS | STATEMENT_KEYWORDS | frozenset((
    "sizeof", "_Alignof", "alignof", "_Generic", "_Static_assert", "asm", "__asm__", "__asm", "typeof", "__typeof__",
))

ATTRIBUTE_CALLS = frozenset((
    "__attribute__", "__attribute", "__declspec", "_Alignas", "alignas", "__asm__", "__asm", "asm", "_declspec",
))
"""Words that say something about a declaration, most with arguments."""

KNOWN_WORDS = frozenset((
    "WINAPI", "APIENTRY", "CALLBACK", "__cdecl", "__stdcall", "__fastcall", "_cdecl", "cdecl", "FAR", "NEAR", "far",
    "near", "huge", "__user", "__iomem", "__force", "__init", "__exit", "__must_check", "__printf", "__rcu", "__percpu",
    "unused", "__unused", "_unused_", "UNUSED", "ATTRIBUTE_UNUSED", "PG_USED_FOR_ASSERTS_ONLY", "PGDLLIMPORT",
    "G_GNUC_UNUSED", "_U_", "g_autofree", "_cleanup_free_", "_cleanup_close_", "_cleanup_fclose_", "_public_",
    "_const_", "_pure_", "_printf_", "_noreturn_", "_likely_", "__packed", "__weak", "__dead", "__dead2", "__sentinel",
    "noinline", "__always_inline", "__nonnull", "_Nullable", "_Nonnull", "__nullable",
))
"""Attribute macros and calling conventions of well-known code."""

IN_PARENTHESES = "()"
"""The qualifier of a call whose function stands in parentheses: a cast, perhaps."""
