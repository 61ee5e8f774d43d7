#include "CTaktPage.h"

// The compiler takes the directive of C23 in older C as well, and warns of it.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char document[] = {
#embed "page/index.html"
};

static const unsigned char style[] = {
#embed "page/style.css" suffix(, '\n',)
#embed "page/agenda/agenda.css" suffix(, '\n',)
#embed "page/heat/heat.css"
};

// In the order of their numbers, a line end between each two.
static const unsigned char script[] = {
#embed "page/basics/10-dom.js" suffix(, '\n',)
#embed "page/basics/12-format.js" suffix(, '\n',)
#embed "page/basics/14-words.js" suffix(, '\n',)
#embed "page/connection/20-session.js" suffix(, '\n',)
#embed "page/connection/22-api.js" suffix(, '\n',)
#embed "page/basics/24-clock.js" suffix(, '\n',)
#embed "page/connection/26-event-stream.js" suffix(, '\n',)
#embed "page/connection/28-event-pump.js" suffix(, '\n',)
#embed "page/state/30-job-store.js" suffix(, '\n',)
#embed "page/state/32-job-events.js" suffix(, '\n',)
#embed "page/state/34-job-loader.js" suffix(, '\n',)
#embed "page/state/36-status-store.js" suffix(, '\n',)
#embed "page/actions/40-toasts.js" suffix(, '\n',)
#embed "page/actions/42-dialogs.js" suffix(, '\n',)
#embed "page/actions/44-job-actions.js" suffix(, '\n',)
#embed "page/overview/50-job-marks.js" suffix(, '\n',)
#embed "page/overview/51-job-fold.js" suffix(, '\n',)
#embed "page/overview/52-job-row.js" suffix(, '\n',)
#embed "page/overview/54-job-table.js" suffix(, '\n',)
#embed "page/overview/56-overview.js" suffix(, '\n',)
#embed "page/job/60-machine-diagram.js" suffix(, '\n',)
#embed "page/job/62-duration-chart.js" suffix(, '\n',)
#embed "page/job/63-job-banner.js" suffix(, '\n',)
#embed "page/job/63-slot-list.js" suffix(, '\n',)
#embed "page/job/64-run-table.js" suffix(, '\n',)
#embed "page/output/65-ansi.js" suffix(, '\n',)
#embed "page/output/66-output.js" suffix(, '\n',)
#embed "page/job/67-job-facts.js" suffix(, '\n',)
#embed "page/output/67-output-lines.js" suffix(, '\n',)
#embed "page/job/68-job-page.js" suffix(, '\n',)
#embed "page/output/69-output-search.js" suffix(, '\n',)
#embed "page/timeline/70-timeline-lane.js" suffix(, '\n',)
#embed "page/timeline/72-timeline-drawing.js" suffix(, '\n',)
#embed "page/timeline/73-timeline-moves.js" suffix(, '\n',)
#embed "page/timeline/74-timeline-picture.js" suffix(, '\n',)
#embed "page/timeline/75-timeline-range.js" suffix(, '\n',)
#embed "page/timeline/76-timeline-page.js" suffix(, '\n',)
#embed "page/agenda/77-agenda-lanes.js" suffix(, '\n',)
#embed "page/agenda/78-agenda-page.js" suffix(, '\n',)
#embed "page/heat/79-heat-map.js" suffix(, '\n',)
#embed "page/heat/79-heat-page.js" suffix(, '\n',)
#embed "page/plan/80-plan-view.js" suffix(, '\n',)
#embed "page/plan/81-line-diff.js" suffix(, '\n',)
#embed "page/plan/82-plan-page.js" suffix(, '\n',)
#embed "page/cluster/84-cluster-view.js" suffix(, '\n',)
#embed "page/cluster/85-cluster-page.js" suffix(, '\n',)
#embed "page/frame/86-feed.js" suffix(, '\n',)
#embed "page/frame/89-problems.js" suffix(, '\n',)
#embed "page/frame/90-header.js" suffix(, '\n',)
#embed "page/frame/92-router.js" suffix(, '\n',)
#embed "page/frame/98-start.js" suffix(, '\n',)
};

const takt_page_file takt_page_document = {document, sizeof document};
const takt_page_file takt_page_style = {style, sizeof style};
const takt_page_file takt_page_script = {script, sizeof script};
