#include "CTaktPlugin.h"

// The compiler takes the directive of C23 in older C as well, and warns of it.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const char shell[] = {
#embed "plugin/hello.sh" suffix(, 0)
};

static const char python[] = {
#embed "plugin/hello.py" suffix(, 0)
};

static const char swift_package[] = {
#embed "plugin/Package.swift" suffix(, 0)
};

static const char swift_main[] = {
#embed "plugin/main.swift" suffix(, 0)
};

static const char swift_run[] = {
#embed "plugin/run" suffix(, 0)
};

const char *takt_plugin_shell(void) { return shell; }

const char *takt_plugin_python(void) { return python; }

const char *takt_plugin_swift_package(void) { return swift_package; }

const char *takt_plugin_swift_main(void) { return swift_main; }

const char *takt_plugin_swift_run(void) { return swift_run; }
