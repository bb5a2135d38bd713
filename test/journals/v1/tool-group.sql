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
INSERT INTO "events" VALUES (1, 0, 1795932561852, 'session-opened', '', 85, '{"v":1,"type":"session-opened","incarnation":"590ff0748d5d476e","agent":"tool-group"}');
INSERT INTO "events" VALUES (2, 0, 1795932561852, 'turn-started', 'dfdd748b041246d6', 137, '{"v":1,"type":"turn-started","turn":"dfdd748b041246d6","loopId":"dfdd748b041246d6","message":"Go.","context":{},"principal":{"id":"ada"}}');
INSERT INTO "events" VALUES (3, 786286172287, 1795932563270, 'model-replied', 'dfdd748b041246d6', 389, '{"v":1,"type":"model-replied","turn":"dfdd748b041246d6","model":"scripted","text":"","toolCalls":[{"id":"dfdd748b041246d6.3.0","providerId":"call_0_0","name":"search","input":"{}"},{"id":"dfdd748b041246d6.3.1","providerId":"call_0_1","name":"fetch_page","input":"{}"}],"finish":"tool-calls","asked":{"instructions":"fe0sne","tools":"1q9ue55"},"usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (4, 786286172287, 1795932563270, 'tool-call-started', 'dfdd748b041246d6', 106, '{"v":1,"type":"tool-call-started","turn":"dfdd748b041246d6","call":"dfdd748b041246d6.3.0","effect":"read"}');
INSERT INTO "events" VALUES (5, 786286172287, 1795932563270, 'tool-call-started', 'dfdd748b041246d6', 112, '{"v":1,"type":"tool-call-started","turn":"dfdd748b041246d6","call":"dfdd748b041246d6.3.1","effect":"idempotent"}');
INSERT INTO "events" VALUES (6, 786286172287, 1795932563759, 'tool-call-ended', 'dfdd748b041246d6', 149, '{"v":1,"type":"tool-call-ended","turn":"dfdd748b041246d6","call":"dfdd748b041246d6.3.0","result":{"type":"text","content":"search is done"},"ms":440}');
INSERT INTO "events" VALUES (7, 786286172287, 1795932563759, 'tool-call-ended', 'dfdd748b041246d6', 153, '{"v":1,"type":"tool-call-ended","turn":"dfdd748b041246d6","call":"dfdd748b041246d6.3.1","result":{"type":"text","content":"fetch_page is done"},"ms":365}');
INSERT INTO "events" VALUES (8, 786286172287, 1795932564102, 'model-replied', 'dfdd748b041246d6', 300, '{"v":1,"type":"model-replied","turn":"dfdd748b041246d6","model":"scripted","text":"","toolCalls":[{"id":"dfdd748b041246d6.8.0","providerId":"call_1_0","name":"note","input":"{}"}],"finish":"tool-calls","asked":{"instructions":"fe0sne","tools":"1q9ue55"},"usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (9, 786286172287, 1795932564102, 'tool-call-started', 'dfdd748b041246d6', 106, '{"v":1,"type":"tool-call-started","turn":"dfdd748b041246d6","call":"dfdd748b041246d6.8.0","effect":"once"}');
INSERT INTO "events" VALUES (10, 786286172287, 1795932564618, 'tool-call-ended', 'dfdd748b041246d6', 147, '{"v":1,"type":"tool-call-ended","turn":"dfdd748b041246d6","call":"dfdd748b041246d6.8.0","result":{"type":"text","content":"note is done"},"ms":369}');
INSERT INTO "events" VALUES (11, 786286172287, 1795932564853, 'model-replied', 'dfdd748b041246d6', 220, '{"v":1,"type":"model-replied","turn":"dfdd748b041246d6","model":"scripted","text":"Noted.","toolCalls":[],"finish":"stop","asked":{"instructions":"fe0sne","tools":"1q9ue55"},"usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (12, 786286172287, 1795932564853, 'turn-ended', 'dfdd748b041246d6', 75, '{"v":1,"type":"turn-ended","turn":"dfdd748b041246d6","outcome":"completed"}');
INSERT INTO "lease" VALUES (1, 786286172287, 'a9a26e9e4eb143c8', NULL, 'free', 'started', 0, 0, 1795932564854, 12, 1795932561852, 0, '', 0);
INSERT INTO "_cf_METADATA" VALUES (1, NULL);
