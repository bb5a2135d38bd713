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
INSERT INTO "events" VALUES (1, 0, 1795934290411, 'session-opened', '', 83, '{"v":1,"type":"session-opened","incarnation":"c7b9f222a35f484e","agent":"one-shot"}');
INSERT INTO "events" VALUES (2, 0, 1795934290411, 'turn-started', '7d886f69b0854c8a', 130, '{"v":1,"type":"turn-started","turn":"7d886f69b0854c8a","loopId":"chapter-1","message":"Go.","context":{},"principal":{"id":"ada"}}');
INSERT INTO "events" VALUES (3, 433620253682, 1795934294260, 'model-replied', '7d886f69b0854c8a', 390, '{"v":1,"type":"model-replied","turn":"7d886f69b0854c8a","model":"scripted","text":"","toolCalls":[{"id":"7d886f69b0854c8a.3.0","providerId":"call_0_0","name":"read_manual","input":"{}"},{"id":"7d886f69b0854c8a.3.1","providerId":"call_0_1","name":"greet","input":"{}"}],"finish":"tool-calls","asked":{"instructions":"19v8e0a","tools":"1lumbqs"},"usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (4, 433620253682, 1795934294260, 'tool-call-started', '7d886f69b0854c8a', 112, '{"v":1,"type":"tool-call-started","turn":"7d886f69b0854c8a","call":"7d886f69b0854c8a.3.1","effect":"idempotent"}');
INSERT INTO "events" VALUES (5, 433620253682, 1795934294260, 'tool-call-started', '7d886f69b0854c8a', 106, '{"v":1,"type":"tool-call-started","turn":"7d886f69b0854c8a","call":"7d886f69b0854c8a.3.0","effect":"read"}');
INSERT INTO "events" VALUES (6, 433620253682, 1795934295240, 'tool-call-ended', '7d886f69b0854c8a', 211, '{"v":1,"type":"tool-call-ended","turn":"7d886f69b0854c8a","call":"7d886f69b0854c8a.3.1","result":{"type":"text","content":"Good morning."},"ms":1,"changes":{"state":{"holdfast.memo:heard":[["chapter-1",true]]}}}');
INSERT INTO "events" VALUES (7, 433620253682, 1795934296287, 'tool-call-ended', '7d886f69b0854c8a', 253, '{"v":1,"type":"tool-call-ended","turn":"7d886f69b0854c8a","call":"7d886f69b0854c8a.3.0","result":{"type":"text","content":"read_manual is done"},"ms":1972,"changes":{"state":{"holdfast.memo:one-shot:read_manual":[["chapter-1","7d886f69b0854c8a.3.0"]]}}}');
INSERT INTO "events" VALUES (8, 433620253682, 1795934297038, 'model-replied', '7d886f69b0854c8a', 390, '{"v":1,"type":"model-replied","turn":"7d886f69b0854c8a","model":"scripted","text":"","toolCalls":[{"id":"7d886f69b0854c8a.8.0","providerId":"call_1_0","name":"read_manual","input":"{}"},{"id":"7d886f69b0854c8a.8.1","providerId":"call_1_1","name":"greet","input":"{}"}],"finish":"tool-calls","asked":{"instructions":"19v8e0a","tools":"1lumbqs"},"usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (9, 433620253682, 1795934297038, 'tool-call-started', '7d886f69b0854c8a', 112, '{"v":1,"type":"tool-call-started","turn":"7d886f69b0854c8a","call":"7d886f69b0854c8a.8.1","effect":"idempotent"}');
INSERT INTO "events" VALUES (10, 433620253682, 1795934297318, 'tool-call-ended', '7d886f69b0854c8a', 311, '{"v":1,"type":"tool-call-ended","turn":"7d886f69b0854c8a","call":"7d886f69b0854c8a.8.0","result":{"type":"text","content":"ALREADY LOADED. The body of ''read_manual'' was returned earlier in this turn — read it from your conversation history above. Do not call this tool again.\nWrite it now.","withheld":true}}');
INSERT INTO "events" VALUES (11, 433620253682, 1795934297318, 'tool-call-ended', '7d886f69b0854c8a', 152, '{"v":1,"type":"tool-call-ended","turn":"7d886f69b0854c8a","call":"7d886f69b0854c8a.8.1","result":{"type":"text","content":"Good morning again."},"ms":0}');
INSERT INTO "events" VALUES (12, 433620253682, 1795934297986, 'model-replied', '7d886f69b0854c8a', 223, '{"v":1,"type":"model-replied","turn":"7d886f69b0854c8a","model":"scripted","text":"Written.","toolCalls":[],"finish":"stop","asked":{"instructions":"19v8e0a","tools":"1lumbqs"},"usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (13, 433620253682, 1795934297986, 'turn-ended', '7d886f69b0854c8a', 75, '{"v":1,"type":"turn-ended","turn":"7d886f69b0854c8a","outcome":"completed"}');
INSERT INTO "lease" VALUES (1, 433620253682, '9d10098c4a0c44e2', NULL, 'free', 'started', 0, 0, 1795934297986, 13, 1795934290411, 0, '', 0);
INSERT INTO "_cf_METADATA" VALUES (1, NULL);
