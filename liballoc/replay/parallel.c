// SPDX-License-Identifier: Apache-2.0
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

#include "replay/parallel.h"

struct queue {
	pthread_mutex_t lock; /* next, error */
	size_t next; /* first piece that nobody has taken */
	int error; /* of the first piece that failed */
	size_t count;
	la_parallel_work *work;
	void *data;
};

static bool take(struct queue *queue, size_t *index)
{
	bool taken;

	pthread_mutex_lock(&queue->lock);
	taken = queue->next < queue->count && !queue->error;
	*index = queue->next;
	queue->next += taken;
	pthread_mutex_unlock(&queue->lock);
	return taken;
}

static void *serve(void *arg)
{
	struct queue *queue = arg;
	size_t index;
	int err;

	while (take(queue, &index)) {
		err = queue->work(queue->data, index);
		if (!err)
			continue;
		pthread_mutex_lock(&queue->lock);
		if (!queue->error)
			queue->error = err;
		pthread_mutex_unlock(&queue->lock);
	}
	return NULL;
}

int la_parallel(unsigned int threads, size_t count, la_parallel_work *work,
		void *data)
{
	struct queue queue = { .count = count, .work = work, .data = data };
	unsigned int started = 0, more = threads < count ? threads : count;
	pthread_t *thread;

	more -= more > 0;
	thread = calloc(more + 1, sizeof(*thread));
	pthread_mutex_init(&queue.lock, NULL);
	/* With fewer threads than wanted it only takes longer. */
	while (thread && started < more &&
	       !pthread_create(&thread[started], NULL, serve, &queue))
		started++;
	serve(&queue);
	while (started)
		pthread_join(thread[--started], NULL);
	pthread_mutex_destroy(&queue.lock);
	free(thread);
	return queue.error;
}
