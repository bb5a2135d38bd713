-- do/holdfast-SessionObject/1daa02f4ab212b4a0e8681237d54c227dbe9e4b401e957edae5736b5eac7b0d6.sqlite
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
INSERT INTO "schema" VALUES (1, '["ada","killed-in-once","s"]');
INSERT INTO "events" VALUES (1, 0, 1795934288473, 'session-opened', '', 89, '{"v":1,"type":"session-opened","incarnation":"bf23d9c9b2924726","agent":"killed-in-once"}');
INSERT INTO "events" VALUES (2, 0, 1795934288473, 'turn-started', 'b548ae463c924a45', 137, '{"v":1,"type":"turn-started","turn":"b548ae463c924a45","loopId":"b548ae463c924a45","message":"Go.","context":{},"principal":{"id":"ada"}}');
INSERT INTO "events" VALUES (3, 389432646877, 1795934294852, 'model-replied', 'b548ae463c924a45', 304, '{"v":1,"type":"model-replied","turn":"b548ae463c924a45","model":"scripted","text":"","toolCalls":[{"id":"b548ae463c924a45.3.0","providerId":"call_0_0","name":"look_up","input":"{}"}],"finish":"tool-calls","asked":{"instructions":"19v8e0a","tools":"13wmipi"},"usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (4, 389432646877, 1795934294852, 'tool-call-started', 'b548ae463c924a45', 106, '{"v":1,"type":"tool-call-started","turn":"b548ae463c924a45","call":"b548ae463c924a45.3.0","effect":"read"}');
INSERT INTO "events" VALUES (5, 389432646877, 1795934296289, 'tool-call-ended', 'b548ae463c924a45', 151, '{"v":1,"type":"tool-call-ended","turn":"b548ae463c924a45","call":"b548ae463c924a45.3.0","result":{"type":"text","content":"look_up is done"},"ms":1599}');
INSERT INTO "events" VALUES (6, 389432646877, 1795934297044, 'model-replied', 'b548ae463c924a45', 480, '{"v":1,"type":"model-replied","turn":"b548ae463c924a45","model":"scripted","text":"","toolCalls":[{"id":"b548ae463c924a45.6.0","providerId":"call_1_0","name":"look_up","input":"{}"},{"id":"b548ae463c924a45.6.1","providerId":"call_1_1","name":"charge","input":"{\"amount\":5}"},{"id":"b548ae463c924a45.6.2","providerId":"call_1_2","name":"mail","input":"{}"}],"finish":"tool-calls","asked":{"instructions":"19v8e0a","tools":"13wmipi"},"usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (7, 389432646877, 1795934297044, 'tool-call-started', 'b548ae463c924a45', 106, '{"v":1,"type":"tool-call-started","turn":"b548ae463c924a45","call":"b548ae463c924a45.6.0","effect":"read"}');
INSERT INTO "events" VALUES (8, 389432646877, 1795934297044, 'tool-call-started', 'b548ae463c924a45', 106, '{"v":1,"type":"tool-call-started","turn":"b548ae463c924a45","call":"b548ae463c924a45.6.1","effect":"once"}');
INSERT INTO "events" VALUES (9, 389432646877, 1795934297044, 'tool-call-started', 'b548ae463c924a45', 112, '{"v":1,"type":"tool-call-started","turn":"b548ae463c924a45","call":"b548ae463c924a45.6.2","effect":"idempotent"}');
INSERT INTO "events" VALUES (10, 389432646877, 1795934298325, 'tool-call-ended', 'b548ae463c924a45', 150, '{"v":1,"type":"tool-call-ended","turn":"b548ae463c924a45","call":"b548ae463c924a45.6.0","result":{"type":"text","content":"look_up is done"},"ms":968}');
INSERT INTO "events" VALUES (11, 389432646878, 1795934326279, 'turn-resumed', 'b548ae463c924a45', 73, '{"v":1,"type":"turn-resumed","turn":"b548ae463c924a45","cause":"expired"}');
INSERT INTO "lease" VALUES (1, 389432646878, '7ef92d93b8c14e3a', 'b548ae463c924a45', 'held', 'expired', 1, 886, 1795934325813, 10, 1795934325813, 0, '', 0);
INSERT INTO "agenda" VALUES ('turn', 'b548ae463c924a45', 1795934345813);
INSERT INTO "_cf_METADATA" VALUES (1, 1795934345813000000);
