#include "CTaktSchema.h"

// The compiler takes the directive of C23 in older C as well, and warns of it.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char lock[] = {
#embed "schema/lock.sql" suffix(,)
};

static const unsigned char check[] = {
#embed "schema/check.sql" suffix(,)
};

// In the order in which they are run. The versions are append-only.
static const unsigned char script[] = {
#embed "schema/guard.sql" suffix(,)
#embed "schema/version-1.sql" suffix(,)
#embed "schema/version-2.sql" suffix(,)
#embed "schema/version-3.sql" suffix(,)
#embed "schema/version-4.sql" suffix(,)
#embed "schema/version-5.sql" suffix(,)
#embed "schema/clock.sql" suffix(,)
#embed "schema/instants.sql" suffix(,)
#embed "schema/eras.sql" suffix(,)
#embed "schema/requests.sql" suffix(,)
#embed "schema/claims.sql" suffix(,)
#embed "schema/restoring.sql" suffix(,)
#embed "schema/settling.sql" suffix(,)
#embed "schema/news.sql" suffix(,)
#embed "schema/forgetting.sql" suffix(,)
#embed "schema/batch.sql" suffix(,)
#embed "schema/audit.sql" suffix(,)
#embed "schema/rights.sql" suffix(,)
};

const takt_schema_text takt_schema_lock = {lock, sizeof lock};
const takt_schema_text takt_schema_check = {check, sizeof check};
const takt_schema_text takt_schema_script = {script, sizeof script};
