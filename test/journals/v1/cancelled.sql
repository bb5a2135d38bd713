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
INSERT INTO "events" VALUES (1, 0, 1795932561810, 'session-opened', '', 84, '{"v":1,"type":"session-opened","incarnation":"e41fcb3823b44511","agent":"cancelled"}');
INSERT INTO "events" VALUES (2, 0, 1795932561810, 'turn-started', 'dcf747b0071b41fd', 137, '{"v":1,"type":"turn-started","turn":"dcf747b0071b41fd","loopId":"dcf747b0071b41fd","message":"Go.","context":{},"principal":{"id":"ada"}}');
INSERT INTO "events" VALUES (3, 681437858688, 1795932563271, 'model-replied', 'dcf747b0071b41fd', 384, '{"v":1,"type":"model-replied","turn":"dcf747b0071b41fd","model":"scripted","text":"","toolCalls":[{"id":"dcf747b0071b41fd.3.0","providerId":"call_0_0","name":"charge","input":"{}"},{"id":"dcf747b0071b41fd.3.1","providerId":"call_0_1","name":"mail","input":"{}"}],"finish":"tool-calls","asked":{"instructions":"19v8e0a","tools":"19hzjz5"},"usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (4, 681437858688, 1795932563271, 'tool-call-started', 'dcf747b0071b41fd', 106, '{"v":1,"type":"tool-call-started","turn":"dcf747b0071b41fd","call":"dcf747b0071b41fd.3.0","effect":"once"}');
INSERT INTO "events" VALUES (5, 681437858688, 1795932563294, 'tool-call-started', 'dcf747b0071b41fd', 112, '{"v":1,"type":"tool-call-started","turn":"dcf747b0071b41fd","call":"dcf747b0071b41fd.3.1","effect":"idempotent"}');
INSERT INTO "events" VALUES (6, 681437858688, 1795932564553, 'cancel-requested', 'dcf747b0071b41fd', 59, '{"v":1,"type":"cancel-requested","turn":"dcf747b0071b41fd"}');
INSERT INTO "events" VALUES (7, 681437858688, 1795932564553, 'tool-call-ended', 'dcf747b0071b41fd', 230, '{"v":1,"type":"tool-call-ended","turn":"dcf747b0071b41fd","call":"dcf747b0071b41fd.3.1","result":{"type":"error","message":"The call of ''mail'' was cancelled while it ran. It may have taken effect.","reason":"cancelled"},"ms":1214}');
INSERT INTO "events" VALUES (8, 681437858688, 1795932569529, 'tool-call-ended', 'dcf747b0071b41fd', 372, '{"v":1,"type":"tool-call-ended","turn":"dcf747b0071b41fd","call":"dcf747b0071b41fd.3.0","result":{"type":"error","message":"The outcome of this call of ''charge'' is unknown: it was started, and no answer came back. It may have happened or not. Do not assume either, and do not repeat it: find out with another tool, or tell the user.","reason":"unknown-outcome"},"ms":6235}');
INSERT INTO "events" VALUES (9, 681437858688, 1795932569529, 'turn-ended', 'dcf747b0071b41fd', 75, '{"v":1,"type":"turn-ended","turn":"dcf747b0071b41fd","outcome":"cancelled"}');
INSERT INTO "events" VALUES (10, 0, 1795932570569, 'turn-started', 'e00764585afb4241', 137, '{"v":1,"type":"turn-started","turn":"e00764585afb4241","loopId":"e00764585afb4241","message":"On.","context":{},"principal":{"id":"ada"}}');
INSERT INTO "events" VALUES (11, 681437858689, 1795932570579, 'late-result-received', 'e00764585afb4241', 174, '{"v":1,"type":"late-result-received","turn":"e00764585afb4241","call":"dcf747b0071b41fd.3.0","tool":"charge","input":"{}","result":{"type":"text","content":"charge is done"}}');
INSERT INTO "events" VALUES (12, 681437858689, 1795932570585, 'model-replied', 'e00764585afb4241', 236, '{"v":1,"type":"model-replied","turn":"e00764585afb4241","model":"scripted","text":"It was charged, late.","toolCalls":[],"finish":"stop","asked":{"instructions":"19v8e0a","tools":"19hzjz5"},"usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (13, 681437858689, 1795932570585, 'turn-ended', 'e00764585afb4241', 75, '{"v":1,"type":"turn-ended","turn":"e00764585afb4241","outcome":"completed"}');
INSERT INTO "events" VALUES (14, 0, 1795932570601, 'turn-started', '2a62f8bb3df24d04', 137, '{"v":1,"type":"turn-started","turn":"2a62f8bb3df24d04","loopId":"2a62f8bb3df24d04","message":"Go.","context":{},"principal":{"id":"ada"}}');
INSERT INTO "events" VALUES (15, 681437858690, 1795932570666, 'model-replied', '2a62f8bb3df24d04', 386, '{"v":1,"type":"model-replied","turn":"2a62f8bb3df24d04","model":"scripted","text":"","toolCalls":[{"id":"2a62f8bb3df24d04.15.0","providerId":"call_2_0","name":"charge","input":"{}"},{"id":"2a62f8bb3df24d04.15.1","providerId":"call_2_1","name":"mail","input":"{}"}],"finish":"tool-calls","asked":{"instructions":"19v8e0a","tools":"19hzjz5"},"usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (16, 681437858690, 1795932570666, 'tool-call-started', '2a62f8bb3df24d04', 107, '{"v":1,"type":"tool-call-started","turn":"2a62f8bb3df24d04","call":"2a62f8bb3df24d04.15.0","effect":"once"}');
INSERT INTO "events" VALUES (17, 681437858690, 1795932570673, 'tool-call-started', '2a62f8bb3df24d04', 113, '{"v":1,"type":"tool-call-started","turn":"2a62f8bb3df24d04","call":"2a62f8bb3df24d04.15.1","effect":"idempotent"}');
INSERT INTO "events" VALUES (18, 681437858690, 1795932571683, 'cancel-requested', '2a62f8bb3df24d04', 59, '{"v":1,"type":"cancel-requested","turn":"2a62f8bb3df24d04"}');
INSERT INTO "events" VALUES (19, 681437858690, 1795932571683, 'tool-call-ended', '2a62f8bb3df24d04', 230, '{"v":1,"type":"tool-call-ended","turn":"2a62f8bb3df24d04","call":"2a62f8bb3df24d04.15.1","result":{"type":"error","message":"The call of ''mail'' was cancelled while it ran. It may have taken effect.","reason":"cancelled"},"ms":995}');
INSERT INTO "events" VALUES (20, 681437858690, 1795932576686, 'tool-call-ended', '2a62f8bb3df24d04', 373, '{"v":1,"type":"tool-call-ended","turn":"2a62f8bb3df24d04","call":"2a62f8bb3df24d04.15.0","result":{"type":"error","message":"The outcome of this call of ''charge'' is unknown: it was started, and no answer came back. It may have happened or not. Do not assume either, and do not repeat it: find out with another tool, or tell the user.","reason":"unknown-outcome"},"ms":6009}');
INSERT INTO "events" VALUES (21, 681437858690, 1795932576686, 'turn-ended', '2a62f8bb3df24d04', 75, '{"v":1,"type":"turn-ended","turn":"2a62f8bb3df24d04","outcome":"cancelled"}');
INSERT INTO "lease" VALUES (1, 681437858690, '827163708a434e1b', NULL, 'free', 'started', 0, 0, 1795932576686, 21, 1795932570623, 0, '', 0);
INSERT INTO "inbox" VALUES (4, 'late', '2a62f8bb3df24d04', '{"call":"2a62f8bb3df24d04.15.0","tool":"charge","input":"{}","result":{"type":"text","content":"charge is done"}}');
INSERT INTO "_cf_METADATA" VALUES (1, NULL);
