-- do/holdfast-SessionObject/1656e27869e5ba53ddcb0b8848b9f07a3418433b772bf6b65faa945c2563a96f.sqlite
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
INSERT INTO "schema" VALUES (1, '["ada","suspended-inside","s"]');
INSERT INTO "events" VALUES (1, 0, 1795934290572, 'session-opened', '', 91, '{"v":1,"type":"session-opened","incarnation":"b5c5d39ac7b7451c","agent":"suspended-inside"}');
INSERT INTO "events" VALUES (2, 0, 1795934290572, 'turn-started', '5a3c7b8a5f804448', 137, '{"v":1,"type":"turn-started","turn":"5a3c7b8a5f804448","loopId":"5a3c7b8a5f804448","message":"Go.","context":{},"principal":{"id":"ada"}}');
INSERT INTO "events" VALUES (3, 155937208740, 1795934294831, 'model-replied', '5a3c7b8a5f804448', 401, '{"v":1,"type":"model-replied","turn":"5a3c7b8a5f804448","model":"scripted","text":"","toolCalls":[{"id":"5a3c7b8a5f804448.3.0","providerId":"call_0_0","name":"look_up","input":"{}"},{"id":"5a3c7b8a5f804448.3.1","providerId":"call_0_1","name":"work","input":"{\"task\":\"buy\"}"}],"finish":"tool-calls","asked":{"instructions":"19v8e0a","tools":"1jnibkh"},"usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (4, 155937208740, 1795934294831, 'tool-call-started', '5a3c7b8a5f804448', 106, '{"v":1,"type":"tool-call-started","turn":"5a3c7b8a5f804448","call":"5a3c7b8a5f804448.3.0","effect":"read"}');
INSERT INTO "events" VALUES (5, 155937208740, 1795934294831, 'frame-started', '5a3c7b8a5f804448', 132, '{"v":1,"type":"frame-started","turn":"5a3c7b8a5f804448","frame":"5a3c7b8a5f804448.3.1","name":"work","message":"{\"task\":\"buy\"}"}');
INSERT INTO "events" VALUES (6, 155937208740, 1795934296058, 'model-replied', '5a3c7b8a5f804448', 330, '{"v":1,"type":"model-replied","turn":"5a3c7b8a5f804448","frame":"5a3c7b8a5f804448.3.1","model":"scripted","text":"","toolCalls":[{"id":"5a3c7b8a5f804448.6.0","providerId":"call_0_0","name":"pay","input":"{}"}],"finish":"tool-calls","asked":{"instructions":"1mvdbwl","tools":"ecal54"},"usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (7, 155937208740, 1795934296058, 'tool-call-suspended', '5a3c7b8a5f804448', 350, '{"v":1,"type":"tool-call-suspended","turn":"5a3c7b8a5f804448","frame":"5a3c7b8a5f804448.3.1","call":"5a3c7b8a5f804448.6.0","wait":{"for":"decision","message":"Pay?","allows":["approve","edit","reject","exit"],"schema":{"type":"object","properties":{}},"onExpiry":"reject","binding":"ab0c78d5d306980d9c18d543de6aaccdcee5f14c9a6dd7a9c738a917f38f27c7"}}');
INSERT INTO "events" VALUES (8, 155937208740, 1795934296058, 'tool-call-ended', '5a3c7b8a5f804448', 151, '{"v":1,"type":"tool-call-ended","turn":"5a3c7b8a5f804448","call":"5a3c7b8a5f804448.3.0","result":{"type":"text","content":"look_up is done"},"ms":1823}');
INSERT INTO "lease" VALUES (1, 155937208740, '05ae131fbd784e57', '5a3c7b8a5f804448', 'suspended', 'started', 0, 0, 1795934296059, 8, 1795934290573, 0, '', 0);
INSERT INTO "_cf_METADATA" VALUES (1, NULL);
