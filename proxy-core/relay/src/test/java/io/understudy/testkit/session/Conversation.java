package io.understudy.testkit.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.understudy.testkit.Bytes;
import io.understudy.testkit.Memory;
import io.understudy.testkit.session.Watcher.Seen;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Commands and their responses. They are played packet by packet, and again with each side's bytes cut in every way.
 * Packets get the protocol's sequence numbers.
 */
public final class Conversation {
    /** One packet. {@code responses} is the number of responses completed after it. */
    private record Step(boolean fromClient, byte[] bytes, int responses) {}

    private final String name;
    private final long capabilities;
    private final List<Step> steps = new ArrayList<>();
    private final List<Seen> seen = new ArrayList<>();
    private int sequence;
    private int commands;

    public Conversation(String name, long capabilities) {
        this.name = name;
        this.capabilities = capabilities;
    }

    public Conversation command(int code, byte[]... body) {
        steps.add(new Step(true, Bytes.command(code, Bytes.concat(body)), seen.size()));
        sequence = 1;
        commands++;
        return this;
    }

    /** Adds a client packet that belongs to the response. */
    public Conversation data(byte[] payload) {
        steps.add(new Step(true, Bytes.packet(sequence++, payload), seen.size()));
        return this;
    }

    /** Adds packets of a response, not including its last one. */
    public Conversation server(byte[]... payloads) {
        for (byte[] payload : payloads) {
            steps.add(new Step(false, Bytes.packet(sequence, payload), seen.size()));
            sequence += payload.length / 0xFFFFFF + 1;
        }
        return this;
    }

    /** Adds the response's last packet and the expected observation. */
    public Conversation last(byte[] payload, Seen expected) {
        seen.add(expected);
        return server(payload);
    }

    /** Marks a response that only the next command ends. */
    public Conversation superseded(Seen expected) {
        seen.add(expected);
        return this;
    }

    @Override
    public String toString() {
        return name;
    }

    /** Sends every packet in its own buffer and checks the tracker after each. */
    public void playWhole() {
        Memory memory = Memory.heap();
        Watcher watcher = new Watcher(Watcher.ALL);
        Scripted scripted = new Scripted(memory, watcher).loggedIn(capabilities);
        for (int i = 0; i < steps.size(); i++) {
            Step step = steps.get(i);
            send(scripted, step.fromClient, step.bytes);
            assertThat(watcher.responses)
                    .as("%s: responses complete after step %d", name, i)
                    .hasSize(step.responses)
                    .isEqualTo(seen.subList(0, step.responses));
            check(scripted, step.fromClient, step.bytes);
        }
        assertThat(scripted.model().commands()).isEqualTo(commands);
        assertThat(watcher.commands).hasSize(commands);
        scripted.finish();
    }

    /**
     * Sends each run of packets of one side cut in two at every offset, then byte by byte, with and without an
     * observer.
     */
    public void playCut() {
        List<Step> runs = runs();
        int longest = runs.stream().mapToInt(r -> r.bytes.length).max().orElse(0);
        for (int cut = 1; cut < longest; cut++) {
            play(runs, cut, Watcher.ALL);
            play(runs, cut, 0);
        }
        play(runs, 0, Watcher.ALL);
        play(runs, 0, 0);
    }

    private List<Step> runs() {
        List<Step> runs = new ArrayList<>();
        for (Step step : steps) {
            Step before = runs.isEmpty() ? null : runs.get(runs.size() - 1);
            if (before != null && before.fromClient == step.fromClient) {
                runs.set(
                        runs.size() - 1,
                        new Step(step.fromClient, Bytes.concat(before.bytes, step.bytes), step.responses));
            } else {
                runs.add(step);
            }
        }
        return runs;
    }

    private void play(List<Step> runs, int cut, int interests) {
        Memory memory = Memory.heap();
        Watcher watcher = new Watcher(interests);
        Scripted scripted = new Scripted(memory, watcher).loggedIn(capabilities);
        for (Step run : runs) {
            if (cut == 0) {
                for (byte one : run.bytes) {
                    send(scripted, run.fromClient, Bytes.of(one));
                }
            } else {
                int at = Math.min(cut, run.bytes.length);
                send(scripted, run.fromClient, Arrays.copyOf(run.bytes, at));
                send(scripted, run.fromClient, Bytes.slice(run.bytes, at, run.bytes.length));
            }
            check(scripted, run.fromClient, run.bytes);
        }
        if (interests != 0) {
            assertThat(watcher.responses).as("%s, cut at %d", name, cut).isEqualTo(seen);
        }
        scripted.finish();
    }

    private static void send(Scripted scripted, boolean fromClient, byte[] bytes) {
        if (fromClient) {
            scripted.client(bytes);
        } else {
            scripted.server(bytes);
        }
    }

    private void check(Scripted scripted, boolean fromClient, byte[] bytes) {
        assertThat(scripted.session.phaseName()).as(name).isEqualTo("relaying");
        byte[] passed = fromClient ? scripted.server.take() : scripted.client.take();
        assertThat(Arrays.equals(passed, bytes))
                .as("%s: bytes go on unchanged", name)
                .isTrue();
    }
}
