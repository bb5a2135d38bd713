-- do/holdfast-SessionObject/b63940c009a31f30893ddd26891793c3977b19b6b92bd4dbbd64dab7dc360dc9.sqlite
CREATE TABLE schema (version INTEGER NOT NULL, name TEXT NOT NULL);
CREATE TABLE events (
    seq INTEGER PRIMARY KEY,
    epoch INTEGER NOT NULL,
    at INTEGER NOT NULL,
    type TEXT NOT NULL,
    turn TEXT NOT NULL,
    bytes INTEGER NOT NULL,
    body TEXT
  );
CREATE INDEX turns ON events (turn) WHERE type = 'turn-started';
CREATE TABLE lease (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    epoch INTEGER NOT NULL,
    nonce TEXT NOT NULL,
    turn TEXT,
    state TEXT NOT NULL,
    cause TEXT NOT NULL,
    expired INTEGER NOT NULL,
    expiredFor INTEGER NOT NULL,
    grace INTEGER
  );
CREATE TABLE requests (
    key TEXT PRIMARY KEY,
    body_hash TEXT NOT NULL,
    turn TEXT NOT NULL,
    seq INTEGER NOT NULL,
    expires INTEGER NOT NULL
  ) WITHOUT ROWID;
CREATE TABLE inbox (id INTEGER PRIMARY KEY AUTOINCREMENT, kind TEXT NOT NULL, turn TEXT NOT NULL, body TEXT NOT NULL);
CREATE TABLE agenda (
    kind TEXT NOT NULL,
    ref TEXT NOT NULL,
    due INTEGER NOT NULL,
    PRIMARY KEY (kind, ref)
  ) WITHOUT ROWID;
CREATE TABLE chunks (
    owner TEXT NOT NULL,
    seq INTEGER NOT NULL,
    part INTEGER NOT NULL,
    reducer INTEGER,
    body BLOB NOT NULL, messages_from INTEGER NOT NULL DEFAULT 1,
    PRIMARY KEY (owner, seq, part)
  );
CREATE TABLE _cf_METADATA (
        key INTEGER PRIMARY KEY,
        value BLOB
      );
INSERT INTO "schema" VALUES (2, '["ada","tool-group","s"]');
INSERT INTO "events" VALUES (1, 0, 1795369781517, 'session-opened', '', 85, '{"v":1,"type":"session-opened","incarnation":"c26866d0a7304541","agent":"tool-group"}');
INSERT INTO "events" VALUES (2, 0, 1795369781517, 'turn-started', 'cb474ad3384b4f93', 137, '{"v":1,"type":"turn-started","turn":"cb474ad3384b4f93","loopId":"cb474ad3384b4f93","message":"Go.","context":{},"principal":{"id":"ada"}}');
INSERT INTO "events" VALUES (3, 263586946041, 1795369781887, 'model-replied', 'cb474ad3384b4f93', 337, '{"v":1,"type":"model-replied","turn":"cb474ad3384b4f93","model":"scripted","text":"","toolCalls":[{"id":"cb474ad3384b4f93.3.0","providerId":"call_0_0","name":"search","input":"{}"},{"id":"cb474ad3384b4f93.3.1","providerId":"call_0_1","name":"fetch_page","input":"{}"}],"finish":"tool-calls","usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (4, 263586946041, 1795369781887, 'tool-call-started', 'cb474ad3384b4f93', 106, '{"v":1,"type":"tool-call-started","turn":"cb474ad3384b4f93","call":"cb474ad3384b4f93.3.0","effect":"read"}');
INSERT INTO "events" VALUES (5, 263586946041, 1795369781887, 'tool-call-started', 'cb474ad3384b4f93', 112, '{"v":1,"type":"tool-call-started","turn":"cb474ad3384b4f93","call":"cb474ad3384b4f93.3.1","effect":"idempotent"}');
INSERT INTO "events" VALUES (6, 263586946041, 1795369782038, 'tool-call-ended', 'cb474ad3384b4f93', 149, '{"v":1,"type":"tool-call-ended","turn":"cb474ad3384b4f93","call":"cb474ad3384b4f93.3.0","result":{"type":"text","content":"search is done"},"ms":112}');
INSERT INTO "events" VALUES (7, 263586946041, 1795369782038, 'tool-call-ended', 'cb474ad3384b4f93', 153, '{"v":1,"type":"tool-call-ended","turn":"cb474ad3384b4f93","call":"cb474ad3384b4f93.3.1","result":{"type":"text","content":"fetch_page is done"},"ms":114}');
INSERT INTO "events" VALUES (8, 263586946041, 1795369782090, 'model-replied', 'cb474ad3384b4f93', 248, '{"v":1,"type":"model-replied","turn":"cb474ad3384b4f93","model":"scripted","text":"","toolCalls":[{"id":"cb474ad3384b4f93.8.0","providerId":"call_1_0","name":"note","input":"{}"}],"finish":"tool-calls","usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (9, 263586946041, 1795369782090, 'tool-call-started', 'cb474ad3384b4f93', 106, '{"v":1,"type":"tool-call-started","turn":"cb474ad3384b4f93","call":"cb474ad3384b4f93.8.0","effect":"once"}');
INSERT INTO "events" VALUES (10, 263586946041, 1795369782236, 'tool-call-ended', 'cb474ad3384b4f93', 147, '{"v":1,"type":"tool-call-ended","turn":"cb474ad3384b4f93","call":"cb474ad3384b4f93.8.0","result":{"type":"text","content":"note is done"},"ms":117}');
INSERT INTO "events" VALUES (11, 263586946041, 1795369782277, 'model-replied', 'cb474ad3384b4f93', 168, '{"v":1,"type":"model-replied","turn":"cb474ad3384b4f93","model":"scripted","text":"Noted.","toolCalls":[],"finish":"stop","usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (12, 263586946041, 1795369782277, 'turn-ended', 'cb474ad3384b4f93', 75, '{"v":1,"type":"turn-ended","turn":"cb474ad3384b4f93","outcome":"completed"}');
INSERT INTO "lease" VALUES (1, 263586946041, 'ec1ac281354849cf', NULL, 'free', 'started', 0, 0, NULL);
INSERT INTO "_cf_METADATA" VALUES (1, NULL);
