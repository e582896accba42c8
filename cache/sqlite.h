// SQLite with errors as statuses: kDataLoss for a file that is damaged, no database, or lacks a
// table or column that a statement names; kPermissionDenied; kUnavailable (full disk, locked for
// too long, I/O).
#ifndef QUERN_CACHE_SQLITE_H_
#define QUERN_CACHE_SQLITE_H_

#include <sqlite3.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace quern::cache {

// A prepared statement, one use.
class Statement {
 public:
  Statement(sqlite3* database, std::string_view sql);

  Statement& Bind(std::string_view text);       // the next parameter; `text` outlives the statement
  Statement& BindBlob(std::string_view bytes);  // likewise
  Statement& Bind(int64_t integer);
  Statement& Bind(double real);

  // Whether there is a row.
  absl::StatusOr<bool> Step();
  // Steps to the end.
  absl::Status Run();

  // Columns of the row.
  std::string Text(int column) const;  // or a blob's bytes
  int64_t Integer(int column) const;
  double Real(int column) const;

 private:
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
  };
  sqlite3* database_;
  int code_;  // of the first failure
  int bound_ = 0;
  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
};

class Database {
 public:
  // Creates the file if it is not there. Waits up to `busy_ms` for other processes' locks.
  static absl::StatusOr<Database> Open(const std::string& path, int busy_ms);

  Statement Prepare(std::string_view sql) { return Statement(database_.get(), sql); }
  absl::Status Execute(std::string_view sql) { return Prepare(sql).Run(); }
  // Rows that the last statement inserted, changed or removed.
  int64_t changes() const { return sqlite3_changes64(database_.get()); }
  void set_busy_ms(int busy_ms) { sqlite3_busy_timeout(database_.get(), busy_ms); }

 private:
  struct Close {
    void operator()(sqlite3* database) const { sqlite3_close_v2(database); }
  };
  std::unique_ptr<sqlite3, Close> database_;
};

// BEGIN IMMEDIATE, and ROLLBACK unless committed.
class Transaction {
 public:
  explicit Transaction(Database& database)
      : database_(database), status_(database.Execute("BEGIN IMMEDIATE")) {}
  ~Transaction();
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;

  const absl::Status& status() const { return status_; }
  absl::Status Commit();

 private:
  Database& database_;
  absl::Status status_;
  bool committed_ = false;
};

}  // namespace quern::cache

#endif  // QUERN_CACHE_SQLITE_H_
