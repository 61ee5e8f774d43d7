#include "CTaktPage.h"

// The compiler takes the directive of C23 in older C as well, and warns of it.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char document[] = {
#embed "page/index.html"
};

static const unsigned char style[] = {
#embed "page/style.css"
};

// In the order of their names, a line end between each two.
static const unsigned char script[] = {
#embed "page/10-dom.js" suffix(, '\n',)
#embed "page/12-format.js" suffix(, '\n',)
#embed "page/14-words.js" suffix(, '\n',)
#embed "page/20-session.js" suffix(, '\n',)
#embed "page/22-api.js" suffix(, '\n',)
#embed "page/24-clock.js" suffix(, '\n',)
#embed "page/26-event-stream.js" suffix(, '\n',)
#embed "page/28-event-pump.js" suffix(, '\n',)
#embed "page/30-job-store.js" suffix(, '\n',)
#embed "page/32-job-events.js" suffix(, '\n',)
#embed "page/34-job-loader.js" suffix(, '\n',)
#embed "page/36-status-store.js" suffix(, '\n',)
#embed "page/40-toasts.js" suffix(, '\n',)
#embed "page/42-dialogs.js" suffix(, '\n',)
#embed "page/44-job-actions.js" suffix(, '\n',)
#embed "page/50-job-marks.js" suffix(, '\n',)
#embed "page/51-job-fold.js" suffix(, '\n',)
#embed "page/52-job-row.js" suffix(, '\n',)
#embed "page/54-job-table.js" suffix(, '\n',)
#embed "page/56-overview.js" suffix(, '\n',)
#embed "page/60-machine-diagram.js" suffix(, '\n',)
#embed "page/62-duration-chart.js" suffix(, '\n',)
#embed "page/63-job-banner.js" suffix(, '\n',)
#embed "page/64-run-table.js" suffix(, '\n',)
#embed "page/65-ansi.js" suffix(, '\n',)
#embed "page/66-output.js" suffix(, '\n',)
#embed "page/67-job-facts.js" suffix(, '\n',)
#embed "page/67-output-lines.js" suffix(, '\n',)
#embed "page/68-job-page.js" suffix(, '\n',)
#embed "page/69-output-search.js" suffix(, '\n',)
#embed "page/70-timeline-lane.js" suffix(, '\n',)
#embed "page/72-timeline-drawing.js" suffix(, '\n',)
#embed "page/74-timeline-picture.js" suffix(, '\n',)
#embed "page/76-timeline-page.js" suffix(, '\n',)
#embed "page/80-plan-view.js" suffix(, '\n',)
#embed "page/82-plan-page.js" suffix(, '\n',)
#embed "page/86-feed.js" suffix(, '\n',)
#embed "page/90-header.js" suffix(, '\n',)
#embed "page/91-cluster.js" suffix(, '\n',)
#embed "page/92-router.js" suffix(, '\n',)
#embed "page/98-start.js" suffix(, '\n',)
};

const takt_page_file takt_page_document = {document, sizeof document};
const takt_page_file takt_page_style = {style, sizeof style};
const takt_page_file takt_page_script = {script, sizeof script};
