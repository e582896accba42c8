#include "cache/sqlite.h"

#include "absl/strings/str_cat.h"

namespace quern::cache {

static absl::StatusCode CodeOf(int code) {
  switch (code & 0xff) {
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
    case SQLITE_FORMAT:
    case SQLITE_ERROR:
      return absl::StatusCode::kDataLoss;
    case SQLITE_PERM:
    case SQLITE_READONLY:
    case SQLITE_CANTOPEN:
    case SQLITE_AUTH:
      return absl::StatusCode::kPermissionDenied;
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
    case SQLITE_FULL:
    case SQLITE_IOERR:
    case SQLITE_NOMEM:
    case SQLITE_PROTOCOL:
      return absl::StatusCode::kUnavailable;
    default:
      return absl::StatusCode::kInternal;
  }
}

static absl::Status Error(sqlite3* database, int code) {
  const char* path = database == nullptr ? nullptr : sqlite3_db_filename(database, "main");
  return absl::Status(CodeOf(code), absl::StrCat(path == nullptr ? "" : path, ": ",
                                                 database == nullptr ? sqlite3_errstr(code)
                                                                     : sqlite3_errmsg(database)));
}

Statement::Statement(sqlite3* database, std::string_view sql) : database_(database) {
  sqlite3_stmt* statement = nullptr;
  code_ =
      sqlite3_prepare_v2(database, sql.data(), static_cast<int>(sql.size()), &statement, nullptr);
  statement_.reset(statement);
}

Statement& Statement::Bind(std::string_view text) {
  const int code = code_ != SQLITE_OK
                       ? code_
                       : sqlite3_bind_text64(statement_.get(), ++bound_, text.data(), text.size(),
                                             SQLITE_STATIC, SQLITE_UTF8);
  code_ = code;
  return *this;
}

Statement& Statement::BindBlob(std::string_view bytes) {
  // Without a pointer it would be NULL.
  const char* data = bytes.empty() ? "" : bytes.data();
  if (code_ == SQLITE_OK) {
    code_ = sqlite3_bind_blob64(statement_.get(), ++bound_, data, bytes.size(), SQLITE_STATIC);
  }
  return *this;
}

Statement& Statement::Bind(int64_t integer) {
  if (code_ == SQLITE_OK) code_ = sqlite3_bind_int64(statement_.get(), ++bound_, integer);
  return *this;
}

Statement& Statement::Bind(double real) {
  if (code_ == SQLITE_OK) code_ = sqlite3_bind_double(statement_.get(), ++bound_, real);
  return *this;
}

absl::StatusOr<bool> Statement::Step() {
  if (code_ != SQLITE_OK) return Error(database_, code_);
  const int code = sqlite3_step(statement_.get());
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) return false;
  return Error(database_, code);
}

absl::Status Statement::Run() {
  while (true) {
    const absl::StatusOr<bool> row = Step();
    if (!row.ok()) return row.status();
    if (!*row) return absl::OkStatus();
  }
}

std::string Statement::Text(int column) const {
  const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement_.get(), column));
  if (text == nullptr) return "";
  return std::string(text, sqlite3_column_bytes(statement_.get(), column));
}

int64_t Statement::Integer(int column) const {
  return sqlite3_column_int64(statement_.get(), column);
}

double Statement::Real(int column) const { return sqlite3_column_double(statement_.get(), column); }

absl::StatusOr<Database> Database::Open(const std::string& path, int busy_ms) {
  sqlite3* handle = nullptr;
  const int code =
      sqlite3_open_v2(path.c_str(), &handle,
                      SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_FULLMUTEX, nullptr);
  Database database;
  database.database_.reset(handle);
  if (code != SQLITE_OK) {
    const absl::Status error = Error(handle, code);
    return absl::Status(error.code(), absl::StrCat(path, ": ", sqlite3_errstr(code)));
  }
  database.set_busy_ms(busy_ms);
  return database;
}

Transaction::~Transaction() {
  if (status_.ok() && !committed_) database_.Execute("ROLLBACK").IgnoreError();
}

absl::Status Transaction::Commit() {
  const absl::Status status = database_.Execute("COMMIT");
  committed_ = status.ok();
  return status;
}

}  // namespace quern::cache
