-- do/holdfast-SessionObject/1656e27869e5ba53ddcb0b8848b9f07a3418433b772bf6b65faa945c2563a96f.sqlite
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
INSERT INTO "schema" VALUES (1, '["ada","suspended-inside","s"]');
INSERT INTO "events" VALUES (1, 0, 1795939346778, 'session-opened', '', 91, NULL, '{"v":1,"type":"session-opened","incarnation":"97e13005efd342cd","agent":"suspended-inside"}');
INSERT INTO "events" VALUES (2, 0, 1795939346778, 'turn-started', '823420d85f034a0a', 137, NULL, '{"v":1,"type":"turn-started","turn":"823420d85f034a0a","loopId":"823420d85f034a0a","message":"Go.","context":{},"principal":{"id":"ada"}}');
INSERT INTO "events" VALUES (5, 92818772405, 1795939347318, 'model-replied tool-call-started frame-started', '823420d85f034a0a', 639, '401 106 132', '{"v":1,"type":"model-replied","turn":"823420d85f034a0a","model":"scripted","text":"","toolCalls":[{"id":"823420d85f034a0a.3.0","providerId":"call_0_0","name":"look_up","input":"{}"},{"id":"823420d85f034a0a.3.1","providerId":"call_0_1","name":"work","input":"{\"task\":\"buy\"}"}],"finish":"tool-calls","asked":{"instructions":"19v8e0a","tools":"1jnibkh"},"usage":{"inputTokens":100,"outputTokens":10}}{"v":1,"type":"tool-call-started","turn":"823420d85f034a0a","call":"823420d85f034a0a.3.0","effect":"read"}{"v":1,"type":"frame-started","turn":"823420d85f034a0a","frame":"823420d85f034a0a.3.1","name":"work","message":"{\"task\":\"buy\"}"}');
INSERT INTO "events" VALUES (8, 92818772405, 1795939347443, 'tool-call-ended model-replied tool-call-suspended', '823420d85f034a0a', 830, '150 330 350', '{"v":1,"type":"tool-call-ended","turn":"823420d85f034a0a","call":"823420d85f034a0a.3.0","result":{"type":"text","content":"look_up is done"},"ms":205}{"v":1,"type":"model-replied","turn":"823420d85f034a0a","frame":"823420d85f034a0a.3.1","model":"scripted","text":"","toolCalls":[{"id":"823420d85f034a0a.7.0","providerId":"call_0_0","name":"pay","input":"{}"}],"finish":"tool-calls","asked":{"instructions":"1mvdbwl","tools":"ecal54"},"usage":{"inputTokens":100,"outputTokens":10}}{"v":1,"type":"tool-call-suspended","turn":"823420d85f034a0a","frame":"823420d85f034a0a.3.1","call":"823420d85f034a0a.7.0","wait":{"for":"decision","message":"Pay?","allows":["approve","edit","reject","exit"],"schema":{"type":"object","properties":{}},"onExpiry":"reject","binding":"ab0c78d5d306980d9c18d543de6aaccdcee5f14c9a6dd7a9c738a917f38f27c7"}}');
INSERT INTO "lease" VALUES (1, 92818772405, 'c7e199ab9d574c2d', '823420d85f034a0a', 'suspended', 'started', 0, 0, 1795939347443, 8, 1795939346778, 0, '', 0, NULL, 0);
INSERT INTO "_cf_METADATA" VALUES (1, NULL);
