// The script of the client matrix for go-sql-driver: main HOST PORT USER PASSWORD TLS
package main

import (
	"crypto/md5"
	"database/sql"
	"errors"
	"fmt"
	"os"

	"github.com/go-sql-driver/mysql"
)

func number(err error) string {
	var e *mysql.MySQLError
	if errors.As(err, &e) {
		return fmt.Sprint(e.Number, " ", string(e.SQLState[:]), " ", e.Message)
	}
	return err.Error()
}

func must(err error) {
	if err != nil {
		fmt.Println("FAILED", number(err))
		os.Exit(1)
	}
}

func main() {
	a := os.Args
	tls := ""
	if a[5] == "on" {
		tls = "&tls=skip-verify"
	}
	db, err := sql.Open("mysql", a[3]+":"+a[4]+"@tcp("+a[1]+":"+a[2]+")/test?maxAllowedPacket=67108864"+tls)
	must(err)
	db.SetMaxOpenConns(1)
	if err := db.Ping(); err != nil {
		fmt.Println("connect refused:", number(err))
		return
	}
	fmt.Println("connect ok")
	var one, text, dec string
	var null sql.NullString
	must(db.QueryRow("SELECT 1, NULL, 'héllo', 2.50").Scan(&one, &null, &text, &dec))
	fmt.Println("query", one, null.Valid, text, dec)
	stmt, err := db.Prepare("SELECT ? * 2")
	must(err)
	for _, n := range []int{20, 21} {
		var twice int
		must(stmt.QueryRow(n).Scan(&twice))
		fmt.Println("prepare", twice)
	}
	stmt.Close()
	_, err = db.Exec("CREATE TEMPORARY TABLE m (a INT, b LONGBLOB)")
	must(err)
	for i := 0; i < 100; i++ {
		_, err = db.Exec("INSERT INTO m VALUES (?, ?)", i, "x")
		must(err)
	}
	var count, sum int
	must(db.QueryRow("SELECT COUNT(*), SUM(a) FROM m").Scan(&count, &sum))
	fmt.Println("sum", count, sum)
	big := make([]byte, 256*20480)
	for i := range big {
		big[i] = byte(i)
	}
	tx, err := db.Begin()
	must(err)
	_, err = tx.Exec("INSERT INTO m VALUES (?, ?)", 1000, big)
	must(err)
	var value []byte
	must(tx.QueryRow("SELECT b FROM m WHERE a = 1000").Scan(&value))
	fmt.Printf("big %d %x\n", len(value), md5.Sum(value))
	must(tx.Rollback())
	must(db.QueryRow("SELECT COUNT(*) FROM m").Scan(&count))
	fmt.Println("rollback", count)
	for _, q := range []string{"SELEC", "SELECT * FROM nosuch"} {
		_, err = db.Exec(q)
		fmt.Println("error", number(err))
	}
	must(db.QueryRow("SELECT 'still here'").Scan(&text))
	fmt.Println("after", text)
	db.Close()
}
