-- do/holdfast-SessionObject/b63940c009a31f30893ddd26891793c3977b19b6b92bd4dbbd64dab7dc360dc9.sqlite
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
INSERT INTO "schema" VALUES (1, '["ada","tool-group","s"]');
INSERT INTO "events" VALUES (1, 0, 1795939346802, 'session-opened', '', 85, NULL, '{"v":1,"type":"session-opened","incarnation":"bfd5943ce08e4c9c","agent":"tool-group"}');
INSERT INTO "events" VALUES (2, 0, 1795939346802, 'turn-started', '47bf09ef92224b5d', 137, NULL, '{"v":1,"type":"turn-started","turn":"47bf09ef92224b5d","loopId":"47bf09ef92224b5d","message":"Go.","context":{},"principal":{"id":"ada"}}');
INSERT INTO "events" VALUES (5, 294448019364, 1795939347324, 'model-replied tool-call-started tool-call-started', '47bf09ef92224b5d', 607, '389 106 112', '{"v":1,"type":"model-replied","turn":"47bf09ef92224b5d","model":"scripted","text":"","toolCalls":[{"id":"47bf09ef92224b5d.3.0","providerId":"call_0_0","name":"search","input":"{}"},{"id":"47bf09ef92224b5d.3.1","providerId":"call_0_1","name":"fetch_page","input":"{}"}],"finish":"tool-calls","asked":{"instructions":"fe0sne","tools":"1q9ue55"},"usage":{"inputTokens":100,"outputTokens":10}}{"v":1,"type":"tool-call-started","turn":"47bf09ef92224b5d","call":"47bf09ef92224b5d.3.0","effect":"read"}{"v":1,"type":"tool-call-started","turn":"47bf09ef92224b5d","call":"47bf09ef92224b5d.3.1","effect":"idempotent"}');
INSERT INTO "events" VALUES (7, 294448019364, 1795939347549, 'tool-call-ended tool-call-ended', '47bf09ef92224b5d', 302, '149 153', '{"v":1,"type":"tool-call-ended","turn":"47bf09ef92224b5d","call":"47bf09ef92224b5d.3.0","result":{"type":"text","content":"search is done"},"ms":222}{"v":1,"type":"tool-call-ended","turn":"47bf09ef92224b5d","call":"47bf09ef92224b5d.3.1","result":{"type":"text","content":"fetch_page is done"},"ms":192}');
INSERT INTO "events" VALUES (9, 294448019364, 1795939347678, 'model-replied tool-call-started', '47bf09ef92224b5d', 406, '300 106', '{"v":1,"type":"model-replied","turn":"47bf09ef92224b5d","model":"scripted","text":"","toolCalls":[{"id":"47bf09ef92224b5d.8.0","providerId":"call_1_0","name":"note","input":"{}"}],"finish":"tool-calls","asked":{"instructions":"fe0sne","tools":"1q9ue55"},"usage":{"inputTokens":100,"outputTokens":10}}{"v":1,"type":"tool-call-started","turn":"47bf09ef92224b5d","call":"47bf09ef92224b5d.8.0","effect":"once"}');
INSERT INTO "events" VALUES (10, 294448019364, 1795939347848, 'tool-call-ended', '47bf09ef92224b5d', 147, NULL, '{"v":1,"type":"tool-call-ended","turn":"47bf09ef92224b5d","call":"47bf09ef92224b5d.8.0","result":{"type":"text","content":"note is done"},"ms":121}');
INSERT INTO "events" VALUES (12, 294448019364, 1795939347940, 'model-replied turn-ended', '47bf09ef92224b5d', 295, '220 75', '{"v":1,"type":"model-replied","turn":"47bf09ef92224b5d","model":"scripted","text":"Noted.","toolCalls":[],"finish":"stop","asked":{"instructions":"fe0sne","tools":"1q9ue55"},"usage":{"inputTokens":100,"outputTokens":10}}{"v":1,"type":"turn-ended","turn":"47bf09ef92224b5d","outcome":"completed"}');
INSERT INTO "lease" VALUES (1, 294448019364, '7b8f7ca4c815470c', NULL, 'free', 'started', 0, 0, 1795939347940, 12, 1795939346802, 0, '', 0, NULL, 0);
INSERT INTO "_cf_METADATA" VALUES (1, NULL);
