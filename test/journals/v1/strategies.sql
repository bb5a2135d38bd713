-- do/holdfast-SessionObject/736c2e4c4c71df7b2d2a39442aa970a5c19a1fe6fc1ace9dc044690d613cb284.sqlite
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
INSERT INTO "schema" VALUES (1, '["ada","strategies","s"]');
INSERT INTO "events" VALUES (1, 0, 1795934290535, 'session-opened', '', 85, '{"v":1,"type":"session-opened","incarnation":"fa7315060803441a","agent":"strategies"}');
INSERT INTO "events" VALUES (2, 0, 1795934290535, 'turn-started', '60161973369e4f59', 137, '{"v":1,"type":"turn-started","turn":"60161973369e4f59","loopId":"60161973369e4f59","message":"Go.","context":{},"principal":{"id":"ada"}}');
INSERT INTO "events" VALUES (3, 24211465724, 1795934294261, 'model-replied', '60161973369e4f59', 303, '{"v":1,"type":"model-replied","turn":"60161973369e4f59","model":"scripted","text":"","toolCalls":[{"id":"60161973369e4f59.3.0","providerId":"call_0_0","name":"unlock","input":"{}"}],"finish":"tool-calls","asked":{"instructions":"19v8e0a","tools":"1jy0rht"},"usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (4, 24211465724, 1795934294261, 'tool-call-started', '60161973369e4f59', 112, '{"v":1,"type":"tool-call-started","turn":"60161973369e4f59","call":"60161973369e4f59.3.0","effect":"idempotent"}');
INSERT INTO "events" VALUES (5, 24211465724, 1795934296289, 'tool-call-ended', '60161973369e4f59', 150, '{"v":1,"type":"tool-call-ended","turn":"60161973369e4f59","call":"60161973369e4f59.3.0","result":{"type":"text","content":"unlock is done"},"ms":1396}');
INSERT INTO "events" VALUES (6, 24211465724, 1795934296289, 'tools-changed', '60161973369e4f59', 230, '{"v":1,"type":"tools-changed","turn":"60161973369e4f59","cause":"session","came":[{"name":"pay","hash":"4z3ate"}],"went":[],"all":[{"name":"lock","hash":"fczouo"},{"name":"unlock","hash":"10dxh78"},{"name":"pay","hash":"4z3ate"}]}');
INSERT INTO "events" VALUES (7, 24211465724, 1795934297044, 'model-replied', '60161973369e4f59', 380, '{"v":1,"type":"model-replied","turn":"60161973369e4f59","model":"scripted","text":"","toolCalls":[{"id":"60161973369e4f59.7.0","providerId":"call_1_0","name":"pay","input":"{}"},{"id":"60161973369e4f59.7.1","providerId":"call_1_1","name":"lock","input":"{}"}],"finish":"tool-calls","asked":{"instructions":"19v8e0a","tools":"uwn5my"},"usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (8, 24211465724, 1795934297044, 'tool-call-started', '60161973369e4f59', 106, '{"v":1,"type":"tool-call-started","turn":"60161973369e4f59","call":"60161973369e4f59.7.0","effect":"once"}');
INSERT INTO "events" VALUES (9, 24211465724, 1795934297044, 'tool-call-started', '60161973369e4f59', 106, '{"v":1,"type":"tool-call-started","turn":"60161973369e4f59","call":"60161973369e4f59.7.1","effect":"read"}');
INSERT INTO "events" VALUES (10, 24211465724, 1795934298325, 'tool-call-ended', '60161973369e4f59', 147, '{"v":1,"type":"tool-call-ended","turn":"60161973369e4f59","call":"60161973369e4f59.7.1","result":{"type":"text","content":"lock is done"},"ms":953}');
INSERT INTO "events" VALUES (11, 24211465724, 1795934298325, 'tool-call-ended', '60161973369e4f59', 146, '{"v":1,"type":"tool-call-ended","turn":"60161973369e4f59","call":"60161973369e4f59.7.0","result":{"type":"text","content":"pay is done"},"ms":795}');
INSERT INTO "events" VALUES (12, 24211465724, 1795934298325, 'tools-changed', '60161973369e4f59', 124, '{"v":1,"type":"tools-changed","turn":"60161973369e4f59","came":[],"went":[{"name":"pay","hash":"4z3ate"}],"cause":"session"}');
INSERT INTO "events" VALUES (13, 24211465724, 1795934298867, 'model-replied', '60161973369e4f59', 304, '{"v":1,"type":"model-replied","turn":"60161973369e4f59","model":"scripted","text":"","toolCalls":[{"id":"60161973369e4f59.13.0","providerId":"call_2_0","name":"unlock","input":"{}"}],"finish":"tool-calls","asked":{"instructions":"19v8e0a","tools":"1jy0rht"},"usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (14, 24211465724, 1795934298867, 'tool-call-started', '60161973369e4f59', 113, '{"v":1,"type":"tool-call-started","turn":"60161973369e4f59","call":"60161973369e4f59.13.0","effect":"idempotent"}');
INSERT INTO "events" VALUES (15, 24211465724, 1795934299503, 'tool-call-ended', '60161973369e4f59', 150, '{"v":1,"type":"tool-call-ended","turn":"60161973369e4f59","call":"60161973369e4f59.13.0","result":{"type":"text","content":"unlock is done"},"ms":438}');
INSERT INTO "events" VALUES (16, 24211465724, 1795934299503, 'tools-changed', '60161973369e4f59', 124, '{"v":1,"type":"tools-changed","turn":"60161973369e4f59","came":[{"name":"pay","hash":"4z3ate"}],"went":[],"cause":"session"}');
INSERT INTO "events" VALUES (17, 24211465724, 1795934299875, 'model-replied', '60161973369e4f59', 223, '{"v":1,"type":"model-replied","turn":"60161973369e4f59","model":"scripted","text":"Unlocked.","toolCalls":[],"finish":"stop","asked":{"instructions":"19v8e0a","tools":"uwn5my"},"usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (18, 24211465724, 1795934299875, 'turn-ended', '60161973369e4f59', 75, '{"v":1,"type":"turn-ended","turn":"60161973369e4f59","outcome":"completed"}');
INSERT INTO "lease" VALUES (1, 24211465724, '47ad0cbf913641d3', NULL, 'free', 'started', 0, 0, 1795934299875, 18, 1795934290535, 0, '', 0);
INSERT INTO "_cf_METADATA" VALUES (1, NULL);
