-- do/holdfast-SessionObject/215d0406529a9c7c55b03cf8b8a162fe04c10382bf4eb58b48b975e9d2157104.sqlite
CREATE TABLE schema (version INTEGER NOT NULL, name TEXT NOT NULL);
CREATE TABLE events (seq INTEGER PRIMARY KEY, epoch INTEGER NOT NULL, at INTEGER NOT NULL, type TEXT NOT NULL,
turn TEXT NOT NULL, bytes INTEGER NOT NULL, body TEXT);
CREATE INDEX turns ON events (turn) WHERE type = 'turn-started';
CREATE TABLE lease (id INTEGER PRIMARY KEY CHECK (id = 1), epoch INTEGER NOT NULL, nonce TEXT NOT NULL, turn TEXT,
state TEXT NOT NULL, cause TEXT NOT NULL, expired INTEGER NOT NULL, expiredFor INTEGER NOT NULL,
heard INTEGER NOT NULL, heardSeq INTEGER NOT NULL, taken INTEGER NOT NULL, strikes INTEGER NOT NULL,
stoppedAt TEXT NOT NULL, unread INTEGER NOT NULL);
CREATE TABLE requests (key TEXT PRIMARY KEY, body_hash TEXT NOT NULL, turn TEXT NOT NULL, seq INTEGER NOT NULL,
expires INTEGER NOT NULL) WITHOUT ROWID;
CREATE INDEX expiries ON requests (expires);
CREATE TABLE inbox (id INTEGER PRIMARY KEY AUTOINCREMENT, kind TEXT NOT NULL, turn TEXT NOT NULL, body TEXT NOT NULL);
CREATE TABLE agenda (kind TEXT NOT NULL, ref TEXT NOT NULL, due INTEGER NOT NULL, PRIMARY KEY (kind, ref)) WITHOUT ROWID;
CREATE TABLE chunks (owner TEXT NOT NULL, seq INTEGER NOT NULL, part INTEGER NOT NULL, reducer INTEGER,
messages_from INTEGER NOT NULL DEFAULT 1, body BLOB NOT NULL, PRIMARY KEY (owner, seq, part));
CREATE TABLE blobs (seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, about TEXT NOT NULL, size INTEGER NOT NULL,
here INTEGER NOT NULL, outside INTEGER NOT NULL, at INTEGER NOT NULL, gone TEXT,
version INTEGER NOT NULL DEFAULT 0, deleted INTEGER NOT NULL DEFAULT 0);
CREATE TABLE _cf_METADATA (
        key INTEGER PRIMARY KEY,
        value BLOB
      );
INSERT INTO "sqlite_sequence" VALUES ('inbox', 4);
INSERT INTO "schema" VALUES (1, '["ada","cancelled","s"]');
INSERT INTO "events" VALUES (1, 0, 1795934290656, 'session-opened', '', 84, '{"v":1,"type":"session-opened","incarnation":"c8c0259f9e504f55","agent":"cancelled"}');
INSERT INTO "events" VALUES (2, 0, 1795934290656, 'turn-started', 'eaf73853286a445d', 137, '{"v":1,"type":"turn-started","turn":"eaf73853286a445d","loopId":"eaf73853286a445d","message":"Go.","context":{},"principal":{"id":"ada"}}');
INSERT INTO "events" VALUES (3, 321540424472, 1795934295295, 'model-replied', 'eaf73853286a445d', 384, '{"v":1,"type":"model-replied","turn":"eaf73853286a445d","model":"scripted","text":"","toolCalls":[{"id":"eaf73853286a445d.3.0","providerId":"call_0_0","name":"charge","input":"{}"},{"id":"eaf73853286a445d.3.1","providerId":"call_0_1","name":"mail","input":"{}"}],"finish":"tool-calls","asked":{"instructions":"19v8e0a","tools":"19hzjz5"},"usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (4, 321540424472, 1795934295295, 'tool-call-started', 'eaf73853286a445d', 106, '{"v":1,"type":"tool-call-started","turn":"eaf73853286a445d","call":"eaf73853286a445d.3.0","effect":"once"}');
INSERT INTO "events" VALUES (5, 321540424472, 1795934295357, 'tool-call-started', 'eaf73853286a445d', 112, '{"v":1,"type":"tool-call-started","turn":"eaf73853286a445d","call":"eaf73853286a445d.3.1","effect":"idempotent"}');
INSERT INTO "events" VALUES (6, 321540424472, 1795934296299, 'cancel-requested', 'eaf73853286a445d', 59, '{"v":1,"type":"cancel-requested","turn":"eaf73853286a445d"}');
INSERT INTO "events" VALUES (7, 321540424472, 1795934296299, 'tool-call-ended', 'eaf73853286a445d', 229, '{"v":1,"type":"tool-call-ended","turn":"eaf73853286a445d","call":"eaf73853286a445d.3.1","result":{"type":"error","message":"The call of ''mail'' was cancelled while it ran. It may have taken effect.","reason":"cancelled"},"ms":824}');
INSERT INTO "events" VALUES (8, 321540424472, 1795934301278, 'tool-call-ended', 'eaf73853286a445d', 372, '{"v":1,"type":"tool-call-ended","turn":"eaf73853286a445d","call":"eaf73853286a445d.3.0","result":{"type":"error","message":"The outcome of this call of ''charge'' is unknown: it was started, and no answer came back. It may have happened or not. Do not assume either, and do not repeat it: find out with another tool, or tell the user.","reason":"unknown-outcome"},"ms":5925}');
INSERT INTO "events" VALUES (9, 321540424472, 1795934301278, 'turn-ended', 'eaf73853286a445d', 75, '{"v":1,"type":"turn-ended","turn":"eaf73853286a445d","outcome":"cancelled"}');
INSERT INTO "events" VALUES (10, 0, 1795934302544, 'turn-started', 'd4cfa51c5eef4f80', 137, '{"v":1,"type":"turn-started","turn":"d4cfa51c5eef4f80","loopId":"d4cfa51c5eef4f80","message":"On.","context":{},"principal":{"id":"ada"}}');
INSERT INTO "events" VALUES (11, 321540424473, 1795934302584, 'late-result-received', 'd4cfa51c5eef4f80', 174, '{"v":1,"type":"late-result-received","turn":"d4cfa51c5eef4f80","call":"eaf73853286a445d.3.0","tool":"charge","input":"{}","result":{"type":"text","content":"charge is done"}}');
INSERT INTO "events" VALUES (12, 321540424473, 1795934302700, 'model-replied', 'd4cfa51c5eef4f80', 236, '{"v":1,"type":"model-replied","turn":"d4cfa51c5eef4f80","model":"scripted","text":"It was charged, late.","toolCalls":[],"finish":"stop","asked":{"instructions":"19v8e0a","tools":"19hzjz5"},"usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (13, 321540424473, 1795934302700, 'turn-ended', 'd4cfa51c5eef4f80', 75, '{"v":1,"type":"turn-ended","turn":"d4cfa51c5eef4f80","outcome":"completed"}');
INSERT INTO "events" VALUES (14, 0, 1795934302748, 'turn-started', '989ec5f65da84ed8', 137, '{"v":1,"type":"turn-started","turn":"989ec5f65da84ed8","loopId":"989ec5f65da84ed8","message":"Go.","context":{},"principal":{"id":"ada"}}');
INSERT INTO "events" VALUES (15, 321540424474, 1795934302895, 'model-replied', '989ec5f65da84ed8', 386, '{"v":1,"type":"model-replied","turn":"989ec5f65da84ed8","model":"scripted","text":"","toolCalls":[{"id":"989ec5f65da84ed8.15.0","providerId":"call_2_0","name":"charge","input":"{}"},{"id":"989ec5f65da84ed8.15.1","providerId":"call_2_1","name":"mail","input":"{}"}],"finish":"tool-calls","asked":{"instructions":"19v8e0a","tools":"19hzjz5"},"usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (16, 321540424474, 1795934302895, 'tool-call-started', '989ec5f65da84ed8', 107, '{"v":1,"type":"tool-call-started","turn":"989ec5f65da84ed8","call":"989ec5f65da84ed8.15.0","effect":"once"}');
INSERT INTO "events" VALUES (17, 321540424474, 1795934302904, 'tool-call-started', '989ec5f65da84ed8', 113, '{"v":1,"type":"tool-call-started","turn":"989ec5f65da84ed8","call":"989ec5f65da84ed8.15.1","effect":"idempotent"}');
INSERT INTO "events" VALUES (18, 321540424474, 1795934303939, 'cancel-requested', '989ec5f65da84ed8', 59, '{"v":1,"type":"cancel-requested","turn":"989ec5f65da84ed8"}');
INSERT INTO "events" VALUES (19, 321540424474, 1795934303939, 'tool-call-ended', '989ec5f65da84ed8', 231, '{"v":1,"type":"tool-call-ended","turn":"989ec5f65da84ed8","call":"989ec5f65da84ed8.15.1","result":{"type":"error","message":"The call of ''mail'' was cancelled while it ran. It may have taken effect.","reason":"cancelled"},"ms":1011}');
INSERT INTO "events" VALUES (20, 321540424474, 1795934308930, 'tool-call-ended', '989ec5f65da84ed8', 373, '{"v":1,"type":"tool-call-ended","turn":"989ec5f65da84ed8","call":"989ec5f65da84ed8.15.0","result":{"type":"error","message":"The outcome of this call of ''charge'' is unknown: it was started, and no answer came back. It may have happened or not. Do not assume either, and do not repeat it: find out with another tool, or tell the user.","reason":"unknown-outcome"},"ms":6026}');
INSERT INTO "events" VALUES (21, 321540424474, 1795934308930, 'turn-ended', '989ec5f65da84ed8', 75, '{"v":1,"type":"turn-ended","turn":"989ec5f65da84ed8","outcome":"cancelled"}');
INSERT INTO "lease" VALUES (1, 321540424474, '1e772c7362ab40d8', NULL, 'free', 'started', 0, 0, 1795934308930, 21, 1795934302812, 0, '', 0);
INSERT INTO "inbox" VALUES (4, 'late', '989ec5f65da84ed8', '{"call":"989ec5f65da84ed8.15.0","tool":"charge","input":"{}","result":{"type":"text","content":"charge is done"}}');
INSERT INTO "_cf_METADATA" VALUES (1, NULL);
