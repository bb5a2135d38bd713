-- do/holdfast-SessionObject/b63940c009a31f30893ddd26891793c3977b19b6b92bd4dbbd64dab7dc360dc9.sqlite
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
INSERT INTO "schema" VALUES (1, '["ada","tool-group","s"]');
INSERT INTO "events" VALUES (1, 0, 1795934290774, 'session-opened', '', 85, '{"v":1,"type":"session-opened","incarnation":"ec0d525ef31a47e5","agent":"tool-group"}');
INSERT INTO "events" VALUES (2, 0, 1795934290774, 'turn-started', '00c2cd35f6ca4aa6', 137, '{"v":1,"type":"turn-started","turn":"00c2cd35f6ca4aa6","loopId":"00c2cd35f6ca4aa6","message":"Go.","context":{},"principal":{"id":"ada"}}');
INSERT INTO "events" VALUES (3, 667214634360, 1795934294289, 'model-replied', '00c2cd35f6ca4aa6', 389, '{"v":1,"type":"model-replied","turn":"00c2cd35f6ca4aa6","model":"scripted","text":"","toolCalls":[{"id":"00c2cd35f6ca4aa6.3.0","providerId":"call_0_0","name":"search","input":"{}"},{"id":"00c2cd35f6ca4aa6.3.1","providerId":"call_0_1","name":"fetch_page","input":"{}"}],"finish":"tool-calls","asked":{"instructions":"fe0sne","tools":"1q9ue55"},"usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (4, 667214634360, 1795934294289, 'tool-call-started', '00c2cd35f6ca4aa6', 106, '{"v":1,"type":"tool-call-started","turn":"00c2cd35f6ca4aa6","call":"00c2cd35f6ca4aa6.3.0","effect":"read"}');
INSERT INTO "events" VALUES (5, 667214634360, 1795934294289, 'tool-call-started', '00c2cd35f6ca4aa6', 112, '{"v":1,"type":"tool-call-started","turn":"00c2cd35f6ca4aa6","call":"00c2cd35f6ca4aa6.3.1","effect":"idempotent"}');
INSERT INTO "events" VALUES (6, 667214634360, 1795934296289, 'tool-call-ended', '00c2cd35f6ca4aa6', 150, '{"v":1,"type":"tool-call-ended","turn":"00c2cd35f6ca4aa6","call":"00c2cd35f6ca4aa6.3.0","result":{"type":"text","content":"search is done"},"ms":1596}');
INSERT INTO "events" VALUES (7, 667214634360, 1795934296473, 'tool-call-ended', '00c2cd35f6ca4aa6', 154, '{"v":1,"type":"tool-call-ended","turn":"00c2cd35f6ca4aa6","call":"00c2cd35f6ca4aa6.3.1","result":{"type":"text","content":"fetch_page is done"},"ms":1731}');
INSERT INTO "events" VALUES (8, 667214634360, 1795934297387, 'model-replied', '00c2cd35f6ca4aa6', 300, '{"v":1,"type":"model-replied","turn":"00c2cd35f6ca4aa6","model":"scripted","text":"","toolCalls":[{"id":"00c2cd35f6ca4aa6.8.0","providerId":"call_1_0","name":"note","input":"{}"}],"finish":"tool-calls","asked":{"instructions":"fe0sne","tools":"1q9ue55"},"usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (9, 667214634360, 1795934297387, 'tool-call-started', '00c2cd35f6ca4aa6', 106, '{"v":1,"type":"tool-call-started","turn":"00c2cd35f6ca4aa6","call":"00c2cd35f6ca4aa6.8.0","effect":"once"}');
INSERT INTO "events" VALUES (10, 667214634360, 1795934298570, 'tool-call-ended', '00c2cd35f6ca4aa6', 147, '{"v":1,"type":"tool-call-ended","turn":"00c2cd35f6ca4aa6","call":"00c2cd35f6ca4aa6.8.0","result":{"type":"text","content":"note is done"},"ms":841}');
INSERT INTO "events" VALUES (11, 667214634360, 1795934299083, 'model-replied', '00c2cd35f6ca4aa6', 220, '{"v":1,"type":"model-replied","turn":"00c2cd35f6ca4aa6","model":"scripted","text":"Noted.","toolCalls":[],"finish":"stop","asked":{"instructions":"fe0sne","tools":"1q9ue55"},"usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (12, 667214634360, 1795934299083, 'turn-ended', '00c2cd35f6ca4aa6', 75, '{"v":1,"type":"turn-ended","turn":"00c2cd35f6ca4aa6","outcome":"completed"}');
INSERT INTO "lease" VALUES (1, 667214634360, 'ad38a41308ee4c4b', NULL, 'free', 'started', 0, 0, 1795934299083, 12, 1795934290779, 0, '', 0);
INSERT INTO "_cf_METADATA" VALUES (1, NULL);
