// The files of a new plugin, as they are in this program. NAME stands for the plugin's name.
#ifndef CTAKT_PLUGIN_H
#define CTAKT_PLUGIN_H

const char *takt_plugin_shell(void);
const char *takt_plugin_python(void);
const char *takt_plugin_swift_package(void);
const char *takt_plugin_swift_main(void);
// Starts what Swift has built.
const char *takt_plugin_swift_run(void);

#endif
