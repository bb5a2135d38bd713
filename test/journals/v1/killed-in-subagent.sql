-- do/holdfast-SessionObject/7db4e44f4b462ea89c827be82abef4c40d5b29174d7e18544d866441e6a2785f.sqlite
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
INSERT INTO "schema" VALUES (1, '["ada","killed-in-subagent","s"]');
INSERT INTO "events" VALUES (1, 0, 1795939346777, 'session-opened', '', 93, NULL, '{"v":1,"type":"session-opened","incarnation":"646a6ac36904467a","agent":"killed-in-subagent"}');
INSERT INTO "events" VALUES (2, 0, 1795939346777, 'turn-started', '5e05aaf4e79a45ec', 137, NULL, '{"v":1,"type":"turn-started","turn":"5e05aaf4e79a45ec","loopId":"5e05aaf4e79a45ec","message":"Go.","context":{},"principal":{"id":"ada"}}');
INSERT INTO "events" VALUES (4, 421566005037, 1795939347393, 'model-replied frame-started', '5e05aaf4e79a45ec', 474, '328 146', '{"v":1,"type":"model-replied","turn":"5e05aaf4e79a45ec","model":"scripted","text":"","toolCalls":[{"id":"5e05aaf4e79a45ec.3.0","providerId":"call_0_0","name":"clerk","input":"{\"message\":\"Charge it.\"}"}],"finish":"tool-calls","asked":{"instructions":"19v8e0a","tools":"1n16nxb"},"usage":{"inputTokens":100,"outputTokens":10}}{"v":1,"type":"frame-started","turn":"5e05aaf4e79a45ec","frame":"5e05aaf4e79a45ec.3.0","name":"clerk","message":"Charge it.","ownBlackboard":true}');
INSERT INTO "events" VALUES (6, 421566005037, 1795939347584, 'model-replied tool-call-started', '5e05aaf4e79a45ec', 472, '335 137', '{"v":1,"type":"model-replied","turn":"5e05aaf4e79a45ec","frame":"5e05aaf4e79a45ec.3.0","model":"scripted","text":"","toolCalls":[{"id":"5e05aaf4e79a45ec.5.0","providerId":"call_0_0","name":"look_up","input":"{}"}],"finish":"tool-calls","asked":{"instructions":"19v8e0a","tools":"1c61ybg"},"usage":{"inputTokens":100,"outputTokens":10}}{"v":1,"type":"tool-call-started","turn":"5e05aaf4e79a45ec","frame":"5e05aaf4e79a45ec.3.0","call":"5e05aaf4e79a45ec.5.0","effect":"read"}');
INSERT INTO "events" VALUES (7, 421566005037, 1795939347734, 'tool-call-ended', '5e05aaf4e79a45ec', 181, NULL, '{"v":1,"type":"tool-call-ended","turn":"5e05aaf4e79a45ec","frame":"5e05aaf4e79a45ec.3.0","call":"5e05aaf4e79a45ec.5.0","result":{"type":"text","content":"look_up is done"},"ms":159}');
INSERT INTO "events" VALUES (9, 421566005037, 1795939347856, 'model-replied tool-call-started', '5e05aaf4e79a45ec', 471, '334 137', '{"v":1,"type":"model-replied","turn":"5e05aaf4e79a45ec","frame":"5e05aaf4e79a45ec.3.0","model":"scripted","text":"","toolCalls":[{"id":"5e05aaf4e79a45ec.8.0","providerId":"call_1_0","name":"charge","input":"{}"}],"finish":"tool-calls","asked":{"instructions":"19v8e0a","tools":"1c61ybg"},"usage":{"inputTokens":100,"outputTokens":10}}{"v":1,"type":"tool-call-started","turn":"5e05aaf4e79a45ec","frame":"5e05aaf4e79a45ec.3.0","call":"5e05aaf4e79a45ec.8.0","effect":"once"}');
INSERT INTO "lease" VALUES (1, 421566005037, 'dc7ecce8a15947fc', '5e05aaf4e79a45ec', 'held', 'started', 0, 0, 1795939361186, 9, 1795939347038, 0, '', 0, 1795939367038, 0);
INSERT INTO "_cf_METADATA" VALUES (1, 1795939367038000000);
