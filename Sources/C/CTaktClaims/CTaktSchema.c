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
#embed "schema/versions/1.sql" suffix(,)
#embed "schema/versions/2.sql" suffix(,)
#embed "schema/versions/3.sql" suffix(,)
#embed "schema/versions/4.sql" suffix(,)
#embed "schema/versions/5.sql" suffix(,)
#embed "schema/functions/clock.sql" suffix(,)
#embed "schema/functions/instants.sql" suffix(,)
#embed "schema/functions/eras.sql" suffix(,)
#embed "schema/functions/requests.sql" suffix(,)
#embed "schema/functions/claims.sql" suffix(,)
#embed "schema/functions/restoring.sql" suffix(,)
#embed "schema/functions/settling.sql" suffix(,)
#embed "schema/functions/news.sql" suffix(,)
#embed "schema/functions/forgetting.sql" suffix(,)
#embed "schema/functions/batch.sql" suffix(,)
#embed "schema/functions/audit.sql" suffix(,)
#embed "schema/rights.sql" suffix(,)
};

const takt_schema_text takt_schema_lock = {lock, sizeof lock};
const takt_schema_text takt_schema_check = {check, sizeof check};
const takt_schema_text takt_schema_script = {script, sizeof script};
