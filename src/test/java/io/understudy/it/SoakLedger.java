package io.understudy.it;

import io.understudy.embedded.EmbeddedServer;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;

/** Rows that one writer has inserted, by what it was told of them. A row is inserted once, whatever becomes of it. */
final class SoakLedger {
    private final int writer;
    private final BitSet confirmed = new BitSet();
    private final BitSet ambiguous = new BitSet();
    private final BitSet undone = new BitSet();
    private int next;

    SoakLedger(int writer) {
        this.writer = writer;
    }

    int writer() {
        return writer;
    }

    synchronized int nextRow() {
        return ++next;
    }

    static int amount(int writer, int row) {
        return writer * 31 + row % 97;
    }

    /** The client got an OK for them. */
    synchronized void confirm(List<Integer> rows) {
        rows.forEach(confirmed::set);
    }

    /** The connection broke while the response to the INSERT or the COMMIT was due. */
    synchronized void doubt(List<Integer> rows) {
        rows.forEach(ambiguous::set);
    }

    /** Rolled back, or the connection broke before the COMMIT. */
    synchronized void undo(List<Integer> rows) {
        rows.forEach(undone::set);
    }

    synchronized int confirmedRows() {
        return confirmed.cardinality();
    }

    synchronized int ambiguousRows() {
        return ambiguous.cardinality();
    }

    synchronized int undoneRows() {
        return undone.cardinality();
    }

    /** Compares with the table. Returns what is wrong, one sentence each. */
    synchronized List<String> problems(EmbeddedServer primary) throws SQLException {
        List<String> problems = new ArrayList<>();
        BitSet found = new BitSet();
        long sum = 0;
        try (Connection connection = primary.connect();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(
                        "SELECT n, COUNT(*), SUM(amount) FROM shop.ledger WHERE w = " + writer + " GROUP BY n")) {
            while (rows.next()) {
                int row = rows.getInt(1);
                if (rows.getInt(2) != 1) {
                    problems.add("row " + writer + "/" + row + " is there " + rows.getInt(2) + " times");
                }
                if (undone.get(row)) {
                    problems.add("row " + writer + "/" + row + " is there, though it was rolled back");
                } else if (!confirmed.get(row) && !ambiguous.get(row)) {
                    problems.add("row " + writer + "/" + row + " is there, though its statement failed");
                }
                found.set(row);
                if (confirmed.get(row)) {
                    sum += rows.getLong(3);
                }
            }
        }
        BitSet lost = (BitSet) confirmed.clone();
        lost.andNot(found);
        lost.stream().limit(20).forEach(row -> problems.add("row " + writer + "/" + row + " got an OK and is lost"));
        long told = confirmed.stream().mapToLong(row -> amount(writer, row)).sum();
        if (sum != told) {
            problems.add("writer " + writer + ": the sum is " + sum + ", and the client was told " + told);
        }
        return problems;
    }
}
