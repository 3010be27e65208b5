package io.understudy.plugins.capture;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The content of a file, or of one file after the other, that knows which place in which file a byte comes from. */
public final class CaptureStream extends BlockStream {
    /**
     * Statements of one session that a reader has to know at a time, those executed last; a frame says the others
     * again.
     */
    public static final int STATEMENTS = 1024;

    private static final int PLACES = 4096;

    /** A file that is opened when it is its turn, so that a directory of many files needs one descriptor. */
    record Part(String name, Opening opening) {
        /** Opens the file. */
        interface Opening {
            CaptureFile open() throws IOException;
        }
    }

    /** A frame, or a file without any, whose content begins at an offset of the stream. */
    private record Place(long from, String name, long frameAt) {}

    private final Iterator<Part> parts;
    private final Deque<Place> places = new ArrayDeque<>();
    private String name = "";
    private @Nullable CaptureFile file;
    private long offset;

    CaptureStream(List<Part> parts) {
        this.parts = parts.iterator();
    }

    /** Opens the first file, so that a wrong secret or a damaged begin shows at once. */
    CaptureStream begun() throws IOException {
        CaptureFile first = file();
        if (first != null) {
            first.begin();
        }
        return this;
    }

    /** Returns the open file, or the next one; null behind the last one. */
    private @Nullable CaptureFile file() throws IOException {
        CaptureFile open = file;
        if (open == null && parts.hasNext()) {
            Part next = parts.next();
            name = next.name();
            open = next.opening().open();
            file = open;
        }
        return open;
    }

    @Override
    public int read(byte[] bytes, int from, int length) throws IOException {
        for (CaptureFile open = file(); open != null; open = file()) {
            int n = open.read(bytes, from, length);
            if (n >= 0) {
                note(open);
                offset += n;
                return n;
            }
            open.close();
            file = null;
        }
        return -1;
    }

    private void note(CaptureFile open) {
        Place before = places.peekLast();
        if (before == null || !before.name().equals(name) || before.frameAt() != open.frameAt()) {
            places.add(new Place(offset, name, open.frameAt()));
            if (places.size() > PLACES) {
                places.remove();
            }
        }
    }

    /**
     * Returns the error of content that cannot be read.
     *
     * @param at offset of what was read
     * @param line number, for files without frames
     */
    public IOException damaged(long at, long line, String what) {
        Place found = new Place(0, name, -1);
        for (Place place : places) {
            if (place.from() <= at) {
                found = place;
            }
        }
        return found.frameAt() >= 0
                ? Damage.of(found.name(), found.frameAt(), what)
                : Damage.ofText(found.name(), at, line, what);
    }

    /** Returns the name of the file that is read, for messages. */
    public String name() {
        return name;
    }

    @Override
    public void close() throws IOException {
        CaptureFile open = file;
        if (open != null) {
            open.close();
        }
    }
}
