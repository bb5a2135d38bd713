-- do/holdfast-SessionObject/ec0f1dcd12cda4cde6cb76250de2237f9ef37a5d0b2be1bd61fe38ebf6026aca.sqlite
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
INSERT INTO "schema" VALUES (1, '["ada","summary-dropped","s"]');
INSERT INTO "events" VALUES (1, 0, 1795934290753, 'session-opened', '', 90, '{"v":1,"type":"session-opened","incarnation":"83600d785e3349bd","agent":"summary-dropped"}');
INSERT INTO "events" VALUES (2, 0, 1795934290753, 'turn-started', '96ffd5f15a594461', 137, '{"v":1,"type":"turn-started","turn":"96ffd5f15a594461","loopId":"96ffd5f15a594461","message":"Go.","context":{},"principal":{"id":"ada"}}');
INSERT INTO "events" VALUES (3, 1088029867219, 1795934294289, 'model-replied', '96ffd5f15a594461', 299, '{"v":1,"type":"model-replied","turn":"96ffd5f15a594461","model":"scripted","text":"","toolCalls":[{"id":"96ffd5f15a594461.3.0","providerId":"call_0_0","name":"pay","input":"{}"}],"finish":"tool-calls","asked":{"instructions":"19v8e0a","tools":"ecal54"},"usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (4, 1088029867219, 1795934294289, 'tool-call-started', '96ffd5f15a594461', 106, '{"v":1,"type":"tool-call-started","turn":"96ffd5f15a594461","call":"96ffd5f15a594461.3.0","effect":"once"}');
INSERT INTO "events" VALUES (5, 1088029867219, 1795934296290, 'tool-call-ended', '96ffd5f15a594461', 147, '{"v":1,"type":"tool-call-ended","turn":"96ffd5f15a594461","call":"96ffd5f15a594461.3.0","result":{"type":"text","content":"pay is done"},"ms":1497}');
INSERT INTO "events" VALUES (6, 1088029867219, 1795934297045, 'model-replied', '96ffd5f15a594461', 432, '{"v":1,"type":"model-replied","turn":"96ffd5f15a594461","model":"scripted","text":"Paid as you asked, and in the way that you had asked for, as you asked, and in the way that you had asked for, as you asked, and in the way that you had asked for, as you asked, and in the way that you had asked for, .","toolCalls":[],"finish":"stop","asked":{"instructions":"19v8e0a","tools":"ecal54"},"usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (7, 1088029867219, 1795934297045, 'turn-ended', '96ffd5f15a594461', 75, '{"v":1,"type":"turn-ended","turn":"96ffd5f15a594461","outcome":"completed"}');
INSERT INTO "events" VALUES (8, 0, 1795934297805, 'turn-started', '47a3d049095c4945', 143, '{"v":1,"type":"turn-started","turn":"47a3d049095c4945","loopId":"47a3d049095c4945","message":"And then?","context":{},"principal":{"id":"ada"}}');
INSERT INTO "events" VALUES (9, 1088029867220, 1795934298738, 'model-replied', '47a3d049095c4945', 432, '{"v":1,"type":"model-replied","turn":"47a3d049095c4945","model":"scripted","text":"Paid as you asked, and in the way that you had asked for, as you asked, and in the way that you had asked for, as you asked, and in the way that you had asked for, as you asked, and in the way that you had asked for, .","toolCalls":[],"finish":"stop","asked":{"instructions":"19v8e0a","tools":"ecal54"},"usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (10, 1088029867220, 1795934298738, 'turn-ended', '47a3d049095c4945', 75, '{"v":1,"type":"turn-ended","turn":"47a3d049095c4945","outcome":"completed"}');
INSERT INTO "events" VALUES (11, 0, 1795934299201, 'turn-started', '35cc74bb5d8c4d82', 137, '{"v":1,"type":"turn-started","turn":"35cc74bb5d8c4d82","loopId":"35cc74bb5d8c4d82","message":"On.","context":{},"principal":{"id":"ada"}}');
INSERT INTO "events" VALUES (12, 1088029867221, 1795934299745, 'module-event', '35cc74bb5d8c4d82', 229, '{"v":1,"type":"module-event","turn":"35cc74bb5d8c4d82","module":"compaction","facts":[{"slice":"compaction","fact":{"reason":"no-shorter","from":11,"tokens":117},"at":1795934299628}],"usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (13, 1088029867221, 1795934300193, 'model-replied', '35cc74bb5d8c4d82', 218, '{"v":1,"type":"model-replied","turn":"35cc74bb5d8c4d82","model":"scripted","text":"Yes.","toolCalls":[],"finish":"stop","asked":{"instructions":"19v8e0a","tools":"ecal54"},"usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (14, 1088029867221, 1795934300193, 'turn-ended', '35cc74bb5d8c4d82', 75, '{"v":1,"type":"turn-ended","turn":"35cc74bb5d8c4d82","outcome":"completed"}');
INSERT INTO "lease" VALUES (1, 1088029867221, '69bce04bdd144551', NULL, 'free', 'started', 0, 0, 1795934300194, 14, 1795934299201, 0, '', 0);
INSERT INTO "_cf_METADATA" VALUES (1, NULL);
