-- do/holdfast-SessionObject/cbbf399c060ae8685bfae3af975e874426205289ed5987b27a80e7741e99414a.sqlite
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
INSERT INTO "schema" VALUES (1, '["ada","one-shot","s"]');
INSERT INTO "events" VALUES (1, 0, 1795932561700, 'session-opened', '', 83, '{"v":1,"type":"session-opened","incarnation":"9df8992e6e944531","agent":"one-shot"}');
INSERT INTO "events" VALUES (2, 0, 1795932561700, 'turn-started', 'e9f5e426a24b4a6f', 130, '{"v":1,"type":"turn-started","turn":"e9f5e426a24b4a6f","loopId":"chapter-1","message":"Go.","context":{},"principal":{"id":"ada"}}');
INSERT INTO "events" VALUES (3, 179926400216, 1795932562891, 'model-replied', 'e9f5e426a24b4a6f', 390, '{"v":1,"type":"model-replied","turn":"e9f5e426a24b4a6f","model":"scripted","text":"","toolCalls":[{"id":"e9f5e426a24b4a6f.3.0","providerId":"call_0_0","name":"read_manual","input":"{}"},{"id":"e9f5e426a24b4a6f.3.1","providerId":"call_0_1","name":"greet","input":"{}"}],"finish":"tool-calls","asked":{"instructions":"19v8e0a","tools":"1lumbqs"},"usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (4, 179926400216, 1795932562891, 'tool-call-started', 'e9f5e426a24b4a6f', 112, '{"v":1,"type":"tool-call-started","turn":"e9f5e426a24b4a6f","call":"e9f5e426a24b4a6f.3.1","effect":"idempotent"}');
INSERT INTO "events" VALUES (5, 179926400216, 1795932562891, 'tool-call-started', 'e9f5e426a24b4a6f', 106, '{"v":1,"type":"tool-call-started","turn":"e9f5e426a24b4a6f","call":"e9f5e426a24b4a6f.3.0","effect":"read"}');
INSERT INTO "events" VALUES (6, 179926400216, 1795932562954, 'tool-call-ended', 'e9f5e426a24b4a6f', 211, '{"v":1,"type":"tool-call-ended","turn":"e9f5e426a24b4a6f","call":"e9f5e426a24b4a6f.3.1","result":{"type":"text","content":"Good morning."},"ms":0,"changes":{"state":{"holdfast.memo:heard":[["chapter-1",true]]}}}');
INSERT INTO "events" VALUES (7, 179926400216, 1795932563326, 'tool-call-ended', 'e9f5e426a24b4a6f', 252, '{"v":1,"type":"tool-call-ended","turn":"e9f5e426a24b4a6f","call":"e9f5e426a24b4a6f.3.0","result":{"type":"text","content":"read_manual is done"},"ms":335,"changes":{"state":{"holdfast.memo:one-shot:read_manual":[["chapter-1","e9f5e426a24b4a6f.3.0"]]}}}');
INSERT INTO "events" VALUES (8, 179926400216, 1795932563679, 'model-replied', 'e9f5e426a24b4a6f', 390, '{"v":1,"type":"model-replied","turn":"e9f5e426a24b4a6f","model":"scripted","text":"","toolCalls":[{"id":"e9f5e426a24b4a6f.8.0","providerId":"call_1_0","name":"read_manual","input":"{}"},{"id":"e9f5e426a24b4a6f.8.1","providerId":"call_1_1","name":"greet","input":"{}"}],"finish":"tool-calls","asked":{"instructions":"19v8e0a","tools":"1lumbqs"},"usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (9, 179926400216, 1795932563679, 'tool-call-started', 'e9f5e426a24b4a6f', 112, '{"v":1,"type":"tool-call-started","turn":"e9f5e426a24b4a6f","call":"e9f5e426a24b4a6f.8.1","effect":"idempotent"}');
INSERT INTO "events" VALUES (10, 179926400216, 1795932563762, 'tool-call-ended', 'e9f5e426a24b4a6f', 311, '{"v":1,"type":"tool-call-ended","turn":"e9f5e426a24b4a6f","call":"e9f5e426a24b4a6f.8.0","result":{"type":"text","content":"ALREADY LOADED. The body of ''read_manual'' was returned earlier in this turn — read it from your conversation history above. Do not call this tool again.\nWrite it now.","withheld":true}}');
INSERT INTO "events" VALUES (11, 179926400216, 1795932563762, 'tool-call-ended', 'e9f5e426a24b4a6f', 152, '{"v":1,"type":"tool-call-ended","turn":"e9f5e426a24b4a6f","call":"e9f5e426a24b4a6f.8.1","result":{"type":"text","content":"Good morning again."},"ms":0}');
INSERT INTO "events" VALUES (12, 179926400216, 1795932564103, 'model-replied', 'e9f5e426a24b4a6f', 223, '{"v":1,"type":"model-replied","turn":"e9f5e426a24b4a6f","model":"scripted","text":"Written.","toolCalls":[],"finish":"stop","asked":{"instructions":"19v8e0a","tools":"1lumbqs"},"usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (13, 179926400216, 1795932564103, 'turn-ended', 'e9f5e426a24b4a6f', 75, '{"v":1,"type":"turn-ended","turn":"e9f5e426a24b4a6f","outcome":"completed"}');
INSERT INTO "lease" VALUES (1, 179926400216, '4cced7f6c92941c2', NULL, 'free', 'started', 0, 0, 1795932564103, 13, 1795932561700, 0, '', 0);
INSERT INTO "_cf_METADATA" VALUES (1, NULL);
