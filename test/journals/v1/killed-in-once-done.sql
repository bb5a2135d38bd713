-- do/holdfast-SessionObject/c6a9497f81e292a5d02c3ac04a38f1a432c955ba60d7430157f8a7cb95de3d77.sqlite
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
INSERT INTO "schema" VALUES (1, '["ada","killed-in-once-done","s"]');
INSERT INTO "events" VALUES (1, 0, 1795934290383, 'session-opened', '', 94, '{"v":1,"type":"session-opened","incarnation":"750d98269cf04e22","agent":"killed-in-once-done"}');
INSERT INTO "events" VALUES (2, 0, 1795934290383, 'turn-started', '24856f7928504464', 137, '{"v":1,"type":"turn-started","turn":"24856f7928504464","loopId":"24856f7928504464","message":"Go.","context":{},"principal":{"id":"ada"}}');
INSERT INTO "events" VALUES (3, 496981642046, 1795934295425, 'model-replied', '24856f7928504464', 304, '{"v":1,"type":"model-replied","turn":"24856f7928504464","model":"scripted","text":"","toolCalls":[{"id":"24856f7928504464.3.0","providerId":"call_0_0","name":"look_up","input":"{}"}],"finish":"tool-calls","asked":{"instructions":"19v8e0a","tools":"13wmipi"},"usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (4, 496981642046, 1795934295425, 'tool-call-started', '24856f7928504464', 106, '{"v":1,"type":"tool-call-started","turn":"24856f7928504464","call":"24856f7928504464.3.0","effect":"read"}');
INSERT INTO "events" VALUES (5, 496981642046, 1795934296581, 'tool-call-ended', '24856f7928504464', 151, '{"v":1,"type":"tool-call-ended","turn":"24856f7928504464","call":"24856f7928504464.3.0","result":{"type":"text","content":"look_up is done"},"ms":1304}');
INSERT INTO "events" VALUES (6, 496981642046, 1795934297388, 'model-replied', '24856f7928504464', 480, '{"v":1,"type":"model-replied","turn":"24856f7928504464","model":"scripted","text":"","toolCalls":[{"id":"24856f7928504464.6.0","providerId":"call_1_0","name":"look_up","input":"{}"},{"id":"24856f7928504464.6.1","providerId":"call_1_1","name":"charge","input":"{\"amount\":5}"},{"id":"24856f7928504464.6.2","providerId":"call_1_2","name":"mail","input":"{}"}],"finish":"tool-calls","asked":{"instructions":"19v8e0a","tools":"13wmipi"},"usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (7, 496981642046, 1795934297388, 'tool-call-started', '24856f7928504464', 106, '{"v":1,"type":"tool-call-started","turn":"24856f7928504464","call":"24856f7928504464.6.0","effect":"read"}');
INSERT INTO "events" VALUES (8, 496981642046, 1795934297388, 'tool-call-started', '24856f7928504464', 106, '{"v":1,"type":"tool-call-started","turn":"24856f7928504464","call":"24856f7928504464.6.1","effect":"once"}');
INSERT INTO "events" VALUES (9, 496981642046, 1795934297388, 'tool-call-started', '24856f7928504464', 112, '{"v":1,"type":"tool-call-started","turn":"24856f7928504464","call":"24856f7928504464.6.2","effect":"idempotent"}');
INSERT INTO "events" VALUES (10, 496981642046, 1795934298569, 'tool-call-ended', '24856f7928504464', 151, '{"v":1,"type":"tool-call-ended","turn":"24856f7928504464","call":"24856f7928504464.6.0","result":{"type":"text","content":"look_up is done"},"ms":1025}');
INSERT INTO "events" VALUES (11, 496981642047, 1795934326279, 'turn-resumed', '24856f7928504464', 73, '{"v":1,"type":"turn-resumed","turn":"24856f7928504464","cause":"expired"}');
INSERT INTO "lease" VALUES (1, 496981642047, '1518bdf7e3a84177', '24856f7928504464', 'held', 'expired', 1, 602, 1795934325827, 10, 1795934325827, 0, '', 0);
INSERT INTO "agenda" VALUES ('turn', '24856f7928504464', 1795934345827);
INSERT INTO "_cf_METADATA" VALUES (1, 1795934345827000000);
