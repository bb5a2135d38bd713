-- do/holdfast-SessionObject/e88741d82770b8033c94f43b4ba4a3b7437e97a7edd956ec26f0344565f42596.sqlite
CREATE TABLE schema (version INTEGER NOT NULL, name TEXT NOT NULL);
CREATE TABLE events (seq INTEGER PRIMARY KEY, epoch INTEGER NOT NULL, at INTEGER NOT NULL, type TEXT NOT NULL,
turn TEXT NOT NULL, bytes INTEGER NOT NULL, lengths TEXT, body TEXT);
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
INSERT INTO "schema" VALUES (1, '["ada","killed-in-once-not-done","s"]');
INSERT INTO "events" VALUES (1, 0, 1795936939365, 'session-opened', '', 98, NULL, '{"v":1,"type":"session-opened","incarnation":"8335a2dc35804daa","agent":"killed-in-once-not-done"}');
INSERT INTO "events" VALUES (2, 0, 1795936939365, 'turn-started', '24734bd40f70489d', 137, NULL, '{"v":1,"type":"turn-started","turn":"24734bd40f70489d","loopId":"24734bd40f70489d","message":"Go.","context":{},"principal":{"id":"ada"}}');
INSERT INTO "events" VALUES (4, 588399011602, 1795936939980, 'model-replied tool-call-started', '24734bd40f70489d', 410, '304 106', '{"v":1,"type":"model-replied","turn":"24734bd40f70489d","model":"scripted","text":"","toolCalls":[{"id":"24734bd40f70489d.3.0","providerId":"call_0_0","name":"look_up","input":"{}"}],"finish":"tool-calls","asked":{"instructions":"19v8e0a","tools":"13wmipi"},"usage":{"inputTokens":100,"outputTokens":10}}{"v":1,"type":"tool-call-started","turn":"24734bd40f70489d","call":"24734bd40f70489d.3.0","effect":"read"}');
INSERT INTO "events" VALUES (5, 588399011602, 1795936940177, 'tool-call-ended', '24734bd40f70489d', 150, NULL, '{"v":1,"type":"tool-call-ended","turn":"24734bd40f70489d","call":"24734bd40f70489d.3.0","result":{"type":"text","content":"look_up is done"},"ms":218}');
INSERT INTO "events" VALUES (9, 588399011602, 1795936940328, 'model-replied tool-call-started tool-call-started tool-call-started', '24734bd40f70489d', 804, '480 106 106 112', '{"v":1,"type":"model-replied","turn":"24734bd40f70489d","model":"scripted","text":"","toolCalls":[{"id":"24734bd40f70489d.6.0","providerId":"call_1_0","name":"look_up","input":"{}"},{"id":"24734bd40f70489d.6.1","providerId":"call_1_1","name":"charge","input":"{\"amount\":5}"},{"id":"24734bd40f70489d.6.2","providerId":"call_1_2","name":"mail","input":"{}"}],"finish":"tool-calls","asked":{"instructions":"19v8e0a","tools":"13wmipi"},"usage":{"inputTokens":100,"outputTokens":10}}{"v":1,"type":"tool-call-started","turn":"24734bd40f70489d","call":"24734bd40f70489d.6.0","effect":"read"}{"v":1,"type":"tool-call-started","turn":"24734bd40f70489d","call":"24734bd40f70489d.6.1","effect":"once"}{"v":1,"type":"tool-call-started","turn":"24734bd40f70489d","call":"24734bd40f70489d.6.2","effect":"idempotent"}');
INSERT INTO "events" VALUES (10, 588399011602, 1795936940568, 'tool-call-ended', '24734bd40f70489d', 150, NULL, '{"v":1,"type":"tool-call-ended","turn":"24734bd40f70489d","call":"24734bd40f70489d.6.0","result":{"type":"text","content":"look_up is done"},"ms":210}');
INSERT INTO "lease" VALUES (1, 588399011602, '310246b81dd142ba', '24734bd40f70489d', 'held', 'started', 0, 0, 1795936953903, 10, 1795936939672, 0, '', 0);
INSERT INTO "agenda" VALUES ('turn', '24734bd40f70489d', 1795936959672);
INSERT INTO "_cf_METADATA" VALUES (1, 1795936959672000000);
