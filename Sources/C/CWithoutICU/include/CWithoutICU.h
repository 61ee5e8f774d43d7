// ICU's 34 MB of data, left out of a program that is linked with a static Foundation. takt uses
// FoundationEssentials, which needs none of it; only the database library refers to Foundation.
// ICU's functions say then that a resource is missing, as they do where its data is not installed.
