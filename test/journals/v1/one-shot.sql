-- do/holdfast-SessionObject/cbbf399c060ae8685bfae3af975e874426205289ed5987b27a80e7741e99414a.sqlite
CREATE TABLE schema (version INTEGER NOT NULL, name TEXT NOT NULL);
CREATE TABLE events (seq INTEGER PRIMARY KEY, epoch INTEGER NOT NULL, at INTEGER NOT NULL, type TEXT NOT NULL,
turn TEXT NOT NULL, bytes INTEGER NOT NULL, lengths TEXT, body TEXT);
CREATE INDEX turns ON events (turn) WHERE type = 'turn-started';
CREATE TABLE lease (id INTEGER PRIMARY KEY CHECK (id = 1), epoch INTEGER NOT NULL, nonce TEXT NOT NULL, turn TEXT,
state TEXT NOT NULL, cause TEXT NOT NULL, expired INTEGER NOT NULL, expiredFor INTEGER NOT NULL,
heard INTEGER NOT NULL, heardSeq INTEGER NOT NULL, taken INTEGER NOT NULL, strikes INTEGER NOT NULL,
stoppedAt TEXT NOT NULL, unread INTEGER NOT NULL, due INTEGER, line INTEGER NOT NULL);
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
INSERT INTO "schema" VALUES (1, '["ada","one-shot","s"]');
INSERT INTO "events" VALUES (1, 0, 1795939346762, 'session-opened', '', 83, NULL, '{"v":1,"type":"session-opened","incarnation":"8c533a1ae28c45d2","agent":"one-shot"}');
INSERT INTO "events" VALUES (2, 0, 1795939346762, 'turn-started', '2a330fba4545467c', 130, NULL, '{"v":1,"type":"turn-started","turn":"2a330fba4545467c","loopId":"chapter-1","message":"Go.","context":{},"principal":{"id":"ada"}}');
INSERT INTO "events" VALUES (5, 857059771462, 1795939347107, 'model-replied tool-call-started tool-call-started', '2a330fba4545467c', 608, '390 112 106', '{"v":1,"type":"model-replied","turn":"2a330fba4545467c","model":"scripted","text":"","toolCalls":[{"id":"2a330fba4545467c.3.0","providerId":"call_0_0","name":"read_manual","input":"{}"},{"id":"2a330fba4545467c.3.1","providerId":"call_0_1","name":"greet","input":"{}"}],"finish":"tool-calls","asked":{"instructions":"19v8e0a","tools":"1lumbqs"},"usage":{"inputTokens":100,"outputTokens":10}}{"v":1,"type":"tool-call-started","turn":"2a330fba4545467c","call":"2a330fba4545467c.3.1","effect":"idempotent"}{"v":1,"type":"tool-call-started","turn":"2a330fba4545467c","call":"2a330fba4545467c.3.0","effect":"read"}');
INSERT INTO "events" VALUES (6, 857059771462, 1795939347120, 'tool-call-ended', '2a330fba4545467c', 211, NULL, '{"v":1,"type":"tool-call-ended","turn":"2a330fba4545467c","call":"2a330fba4545467c.3.1","result":{"type":"text","content":"Good morning."},"ms":1,"changes":{"state":{"holdfast.memo:heard":[["chapter-1",true]]}}}');
INSERT INTO "events" VALUES (7, 857059771462, 1795939347393, 'tool-call-ended', '2a330fba4545467c', 252, NULL, '{"v":1,"type":"tool-call-ended","turn":"2a330fba4545467c","call":"2a330fba4545467c.3.0","result":{"type":"text","content":"read_manual is done"},"ms":250,"changes":{"state":{"holdfast.memo:one-shot:read_manual":[["chapter-1","2a330fba4545467c.3.0"]]}}}');
INSERT INTO "events" VALUES (9, 857059771462, 1795939347563, 'model-replied tool-call-started', '2a330fba4545467c', 502, '390 112', '{"v":1,"type":"model-replied","turn":"2a330fba4545467c","model":"scripted","text":"","toolCalls":[{"id":"2a330fba4545467c.8.0","providerId":"call_1_0","name":"read_manual","input":"{}"},{"id":"2a330fba4545467c.8.1","providerId":"call_1_1","name":"greet","input":"{}"}],"finish":"tool-calls","asked":{"instructions":"19v8e0a","tools":"1lumbqs"},"usage":{"inputTokens":100,"outputTokens":10}}{"v":1,"type":"tool-call-started","turn":"2a330fba4545467c","call":"2a330fba4545467c.8.1","effect":"idempotent"}');
INSERT INTO "events" VALUES (11, 857059771462, 1795939347585, 'tool-call-ended tool-call-ended', '2a330fba4545467c', 463, '309 152', '{"v":1,"type":"tool-call-ended","turn":"2a330fba4545467c","call":"2a330fba4545467c.8.0","result":{"type":"text","content":"ALREADY LOADED. The body of ''read_manual'' was returned earlier in this turn — read it from your conversation history above. Do not call this tool again.\nWrite it now.","withheld":true}}{"v":1,"type":"tool-call-ended","turn":"2a330fba4545467c","call":"2a330fba4545467c.8.1","result":{"type":"text","content":"Good morning again."},"ms":0}');
INSERT INTO "events" VALUES (13, 857059771462, 1795939347712, 'model-replied turn-ended', '2a330fba4545467c', 298, '223 75', '{"v":1,"type":"model-replied","turn":"2a330fba4545467c","model":"scripted","text":"Written.","toolCalls":[],"finish":"stop","asked":{"instructions":"19v8e0a","tools":"1lumbqs"},"usage":{"inputTokens":100,"outputTokens":10}}{"v":1,"type":"turn-ended","turn":"2a330fba4545467c","outcome":"completed"}');
INSERT INTO "lease" VALUES (1, 857059771462, 'c1f073ed7a4041ea', NULL, 'free', 'started', 0, 0, 1795939347713, 13, 1795939346762, 0, '', 0, NULL, 0);
INSERT INTO "_cf_METADATA" VALUES (1, NULL);
