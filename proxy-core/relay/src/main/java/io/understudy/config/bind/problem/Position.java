package io.understudy.config.bind.problem;

/** A place in a document: line and column, both from 1; 0 and 0 for the document as a whole. */
public record Position(int line, int column) implements Comparable<Position> {

    /** The document itself, for instance if it cannot be read. */
    public static final Position NONE = new Position(0, 0);

    /** The first character. */
    public static final Position START = new Position(1, 1);

    @Override
    public int compareTo(Position other) {
        int byLine = Integer.compare(line, other.line);
        return byLine != 0 ? byLine : Integer.compare(column, other.column);
    }

    @Override
    public String toString() {
        return line + ":" + column;
    }
}
