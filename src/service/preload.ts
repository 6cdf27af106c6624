// An update replaces the files of the program while a server runs, and nothing more can be loaded from then on. So a
// server loads with its start what a command loads on first use.
import "../cards/parse.ts";
import "../codecs/transit.ts";
import "../codecs/transit-write.ts";
import "../schedule/index.ts";
import "./auth.ts";
import "./blobs.ts";
import "./bookmarks.ts";
import "./openapi.ts";
import "./routes/attachments.ts";
import "./routes/reviews.ts";
import "./routes/schedule.ts";
