package io.understudy.replay;

import io.understudy.replay.log.Execution;
import io.understudy.replay.log.LogEvent;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/** The checksum of the events of a log up to one of them: whether another log begins alike. Not thread-safe. */
final class EventHash {
    private final CRC32C sum = new CRC32C();
    private final ByteBuffer numbers = ByteBuffer.allocate(2 * Long.BYTES + Integer.BYTES);

    void add(LogEvent event) {
        numbers.clear();
        numbers.putLong(event.threadId()).putLong(event.startMicros()).putInt(event.text().length);
        sum.update(numbers.array(), 0, numbers.position());
        sum.update(event.text(), 0, event.text().length);
        Execution execution = event.execution();
        if (execution != null) {
            sum.update(execution.payload(), 0, execution.payload().length);
        }
    }

    long value() {
        return sum.getValue();
    }
}
