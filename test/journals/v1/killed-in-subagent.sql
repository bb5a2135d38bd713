-- do/holdfast-SessionObject/7db4e44f4b462ea89c827be82abef4c40d5b29174d7e18544d866441e6a2785f.sqlite
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
INSERT INTO "schema" VALUES (1, '["ada","killed-in-subagent","s"]');
INSERT INTO "events" VALUES (1, 0, 1795934290554, 'session-opened', '', 93, '{"v":1,"type":"session-opened","incarnation":"1105d45b976f41ba","agent":"killed-in-subagent"}');
INSERT INTO "events" VALUES (2, 0, 1795934290554, 'turn-started', '874b2d5d6cf8456c', 137, '{"v":1,"type":"turn-started","turn":"874b2d5d6cf8456c","loopId":"874b2d5d6cf8456c","message":"Go.","context":{},"principal":{"id":"ada"}}');
INSERT INTO "events" VALUES (3, 139492784442, 1795934295442, 'model-replied', '874b2d5d6cf8456c', 328, '{"v":1,"type":"model-replied","turn":"874b2d5d6cf8456c","model":"scripted","text":"","toolCalls":[{"id":"874b2d5d6cf8456c.3.0","providerId":"call_0_0","name":"clerk","input":"{\"message\":\"Charge it.\"}"}],"finish":"tool-calls","asked":{"instructions":"19v8e0a","tools":"1n16nxb"},"usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (4, 139492784442, 1795934295442, 'frame-started', '874b2d5d6cf8456c', 146, '{"v":1,"type":"frame-started","turn":"874b2d5d6cf8456c","frame":"874b2d5d6cf8456c.3.0","name":"clerk","message":"Charge it.","ownBlackboard":true}');
INSERT INTO "events" VALUES (5, 139492784442, 1795934296582, 'model-replied', '874b2d5d6cf8456c', 335, '{"v":1,"type":"model-replied","turn":"874b2d5d6cf8456c","frame":"874b2d5d6cf8456c.3.0","model":"scripted","text":"","toolCalls":[{"id":"874b2d5d6cf8456c.5.0","providerId":"call_0_0","name":"look_up","input":"{}"}],"finish":"tool-calls","asked":{"instructions":"19v8e0a","tools":"1c61ybg"},"usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (6, 139492784442, 1795934296582, 'tool-call-started', '874b2d5d6cf8456c', 137, '{"v":1,"type":"tool-call-started","turn":"874b2d5d6cf8456c","frame":"874b2d5d6cf8456c.3.0","call":"874b2d5d6cf8456c.5.0","effect":"read"}');
INSERT INTO "events" VALUES (7, 139492784442, 1795934297560, 'tool-call-ended', '874b2d5d6cf8456c', 181, '{"v":1,"type":"tool-call-ended","turn":"874b2d5d6cf8456c","frame":"874b2d5d6cf8456c.3.0","call":"874b2d5d6cf8456c.5.0","result":{"type":"text","content":"look_up is done"},"ms":823}');
INSERT INTO "events" VALUES (8, 139492784442, 1795934298418, 'model-replied', '874b2d5d6cf8456c', 334, '{"v":1,"type":"model-replied","turn":"874b2d5d6cf8456c","frame":"874b2d5d6cf8456c.3.0","model":"scripted","text":"","toolCalls":[{"id":"874b2d5d6cf8456c.8.0","providerId":"call_1_0","name":"charge","input":"{}"}],"finish":"tool-calls","asked":{"instructions":"19v8e0a","tools":"1c61ybg"},"usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (9, 139492784442, 1795934298418, 'tool-call-started', '874b2d5d6cf8456c', 137, '{"v":1,"type":"tool-call-started","turn":"874b2d5d6cf8456c","frame":"874b2d5d6cf8456c.3.0","call":"874b2d5d6cf8456c.8.0","effect":"once"}');
INSERT INTO "events" VALUES (10, 139492784443, 1795934326295, 'turn-resumed', '874b2d5d6cf8456c', 73, '{"v":1,"type":"turn-resumed","turn":"874b2d5d6cf8456c","cause":"expired"}');
INSERT INTO "lease" VALUES (1, 139492784443, '0c5736fa16b6440a', '874b2d5d6cf8456c', 'held', 'expired', 1, 858, 1795934325840, 9, 1795934325840, 0, '', 0);
INSERT INTO "agenda" VALUES ('turn', '874b2d5d6cf8456c', 1795934345840);
INSERT INTO "_cf_METADATA" VALUES (1, 1795934345840000000);
