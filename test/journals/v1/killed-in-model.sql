-- do/holdfast-SessionObject/3e9b1d872e00ca67f7c719009cfe7be0f76396193ed0954b187d9f7f7bd1cefe.sqlite
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
INSERT INTO "schema" VALUES (1, '["ada","killed-in-model","s"]');
INSERT INTO "events" VALUES (1, 0, 1795932561829, 'session-opened', '', 90, '{"v":1,"type":"session-opened","incarnation":"ec2058d426974d5d","agent":"killed-in-model"}');
INSERT INTO "events" VALUES (2, 0, 1795932561829, 'turn-started', '1c325419c4774904', 137, '{"v":1,"type":"turn-started","turn":"1c325419c4774904","loopId":"1c325419c4774904","message":"Go.","context":{},"principal":{"id":"ada"}}');
INSERT INTO "events" VALUES (3, 505260754450, 1795932562461, 'module-event', '1c325419c4774904', 278, '{"v":8,"type":"module-event","turn":"1c325419c4774904","module":"budgets","facts":[{"slice":"budgets","fact":{"reserved":{"inputTokens":1398,"outputTokens":4096,"cost":0.042358},"request":{"model":"scripted","system":5,"tools":1285,"messages":1,"text":44}},"at":1795932562422}]}');
INSERT INTO "events" VALUES (4, 505260754450, 1795932563325, 'model-replied', '1c325419c4774904', 318, '{"v":1,"type":"model-replied","turn":"1c325419c4774904","model":"scripted","text":"","toolCalls":[{"id":"1c325419c4774904.4.0","providerId":"call_0_0","name":"look_up","input":"{}"}],"finish":"tool-calls","asked":{"instructions":"19v8e0a","tools":"1jnibkh"},"usage":{"inputTokens":100,"outputTokens":10,"cost":0.0002}}');
INSERT INTO "events" VALUES (5, 505260754450, 1795932563325, 'tool-call-started', '1c325419c4774904', 106, '{"v":1,"type":"tool-call-started","turn":"1c325419c4774904","call":"1c325419c4774904.4.0","effect":"read"}');
INSERT INTO "events" VALUES (6, 505260754450, 1795932563679, 'tool-call-ended', '1c325419c4774904', 150, '{"v":1,"type":"tool-call-ended","turn":"1c325419c4774904","call":"1c325419c4774904.4.0","result":{"type":"text","content":"look_up is done"},"ms":443}');
INSERT INTO "events" VALUES (7, 505260754450, 1795932563679, 'module-event', '1c325419c4774904', 278, '{"v":8,"type":"module-event","turn":"1c325419c4774904","module":"budgets","facts":[{"slice":"budgets","fact":{"reserved":{"inputTokens":297,"outputTokens":4096,"cost":0.041257},"request":{"model":"scripted","system":5,"tools":1285,"messages":3,"text":241}},"at":1795932563641}]}');
INSERT INTO "events" VALUES (8, 505260754450, 1795932564103, 'model-replied', '1c325419c4774904', 234, '{"v":1,"type":"model-replied","turn":"1c325419c4774904","model":"scripted","text":"Gone.","toolCalls":[],"finish":"stop","asked":{"instructions":"19v8e0a","tools":"1jnibkh"},"usage":{"inputTokens":100,"outputTokens":10,"cost":0.0002}}');
INSERT INTO "events" VALUES (9, 505260754450, 1795932564103, 'turn-ended', '1c325419c4774904', 75, '{"v":1,"type":"turn-ended","turn":"1c325419c4774904","outcome":"completed"}');
INSERT INTO "events" VALUES (10, 0, 1795932564478, 'turn-started', 'b623aef5ed604e46', 140, '{"v":1,"type":"turn-started","turn":"b623aef5ed604e46","loopId":"b623aef5ed604e46","message":"Again.","context":{},"principal":{"id":"ada"}}');
INSERT INTO "events" VALUES (11, 505260754451, 1795932564673, 'module-event', 'b623aef5ed604e46', 278, '{"v":8,"type":"module-event","turn":"b623aef5ed604e46","module":"budgets","facts":[{"slice":"budgets","fact":{"reserved":{"inputTokens":213,"outputTokens":4096,"cost":0.041173},"request":{"model":"scripted","system":5,"tools":1285,"messages":5,"text":354}},"at":1795932564672}]}');
INSERT INTO "lease" VALUES (1, 505260754451, '6fbbb92bc4074295', 'b623aef5ed604e46', 'held', 'started', 0, 0, 1795932571341, 11, 1795932564660, 0, '', 0);
INSERT INTO "agenda" VALUES ('turn', 'b623aef5ed604e46', 1795932584660);
INSERT INTO "_cf_METADATA" VALUES (1, 1795932584660000000);
